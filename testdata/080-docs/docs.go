// Package docs has documentation of every sort.
package docs

import "context"

// Post sends letters. It is documented
// on two lines.
//
// Deprecated: use [Mail].
//
//idem:wrap
type Post interface {
	// Send sends a letter.
	//
	// It may
	//   - retry
	//   - give up
	//
	// as in
	//
	//	p.Send(ctx, "k")
	//
	//idem:key k
	//
	// Deprecated: use [Post.Deliver], see https://example.com/a//b
	// or ask.
	//
	// The end.
	Send(ctx context.Context, k string) error

	/*
		Deliver is documented in a block.
	*/
	//idem:key k
	Deliver(ctx context.Context, k string) error // trailing remark

	//nolint:revive
	//idem:key k
	//lint:ignore U1000 text
	Bare(ctx context.Context, k string) error

	// Track is only forwarded.
	//
	// Deprecated: letters are not tracked.
	//
	//idem:skip
	Track(k string)
}

// Mail is newer.
type Mail = Post
