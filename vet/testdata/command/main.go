// Command command is where a program starts.
package main

import (
	"context"

	"example.com/shop/pay"
)

var p pay.Payments

func main() {
	_ = p.Void(context.Background(), 1)
	_ = run()
	_ = runWith(context.Background())
}

// run has no caller's context either.
func run() error { return p.Void(context.Background(), 1) }

func runWith(ctx context.Context) error {
	return p.Void(context.Background(), 1) // want `hand on ctx`
}
