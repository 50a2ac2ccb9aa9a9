// Package hidden declares what the output would have to say by itself.
package hidden

import "context"

var nil = 1

const true = 1 < 0

type bool int

// User is a context with more in it.
type User interface {
	context.Context
	User() string
}

// Store needs them.
//
//idem:wrap
type Store interface {
	//idem:key id
	//idem:scope tenant
	Scoped(ctx context.Context, tenant, id string) error
	//idem:key *id
	Pointer(ctx context.Context, id *string) error
	//idem:key id
	Extended(ctx User, id string) error
	//idem:key id
	//idem:stale 5s norenew
	Plain(ctx context.Context, id string) error
	//idem:key id
	Fine(ctx context.Context, id string) error
}

var _, _, _ = nil, true, bool(0)
