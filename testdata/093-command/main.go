// Command main has an interface.
package main

import "context"

type order struct{ ID string }

//idem:wrap
type shop interface {
	//idem:key o.ID
	Buy(ctx context.Context, o order) (order, error)
}

func main() { var _ shop }
