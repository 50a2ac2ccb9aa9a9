package only

import (
	"context"
	"testing"
)

//idem:wrap
type only interface {
	//idem:key k
	Do(ctx context.Context, k string) error
}

func TestOnly(t *testing.T) { var _ only }
