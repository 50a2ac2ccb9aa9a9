// Package base has an interface with many methods.
package base

import "context"

// Client has methods that nobody has decided about.
type Client interface {
	Op00(ctx context.Context) error
	Op01(ctx context.Context) error
	Op02(ctx context.Context) error
	Op03(ctx context.Context) error
	Op04(ctx context.Context) error
	Op05(ctx context.Context) error
	Op06(ctx context.Context) error
	Op07(ctx context.Context) error
	Op08(ctx context.Context) error
	Op09(ctx context.Context) error
	Op10(ctx context.Context) error
	Op11(ctx context.Context) error
}
