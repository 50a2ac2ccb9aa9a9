package q

import (
	"context"
	"testing"
)

// plain shares its names with Plain.
//
//idem:wrap
type plain interface {
	//idem:key k
	Do(ctx context.Context, k string, t T) (string, T, error)
}

func TestIn(t *testing.T) { var _ plain }
