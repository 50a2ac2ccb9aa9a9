// Package rpc has interfaces that are embedded elsewhere.
package rpc

import (
	"context"
	"io"
)

// Request is a message with a secret.
type Request struct {
	Key  string
	lock chan int
}

// Reply is one that hides what it holds.
type Reply struct{ id string }

// Server is generated.
type Server interface {
	Charge(context.Context, *Request) (*Reply, error)
	Refund(_ context.Context, id string) error
	Ping() int
	mustEmbed()
}

// UnsafeServer is for those who embed nothing.
type UnsafeServer interface{ mustEmbed() }

// Sealed has nothing that could be embedded instead of it.
type Sealed interface {
	Do(ctx context.Context, id string) error
	seal()
}

// Annotated has annotations where it is declared.
//
//idem:stale 4s
type Annotated interface {
	//idem:key id
	//idem:ttl 1h
	Kept(ctx context.Context, id string) error
	//idem:skip
	Copy(io.Writer) error
}
