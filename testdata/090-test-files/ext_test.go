package q_test

import (
	"context"
	"testing"

	q "example.com/cases/090-test-files"
)

//idem:wrap
type outer interface {
	//idem:key k
	Do(ctx context.Context, k string, t q.T) (q.T, error)
}

func TestExt(t *testing.T) { var _ outer }
