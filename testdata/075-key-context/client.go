// Package client takes keys from its callers' contexts.
package client

import "context"

// Client has keys and scopes.
//
//idem:wrap
type Client interface {
	//idem:key context
	//idem:scope none
	A(ctx context.Context, body string) error
	//idem:key context
	//idem:scope tenant
	B(c context.Context, tenant, body string) (int, error)
	//idem:key id
	//idem:scope tenant
	C(ctx context.Context, id string, tenant int) error
	//idem:key context
	D(ctx context.Context, context string) error
}

// Defaults has a scope for all.
//
//idem:wrap
//idem:scope tenant
type Defaults interface {
	//idem:key context
	A(ctx context.Context, tenant string) error
	//idem:key id
	//idem:scope none
	B(ctx context.Context, id string) error
}
