// Package ctx has parameters that are contexts and more, or less, than context.Context.
package ctx

import (
	"context"

	"example.com/cases/049-context-types/web"
)

// Alias is an alias.
type Alias = context.Context

// Own is a type of its own.
type Own context.Context

// Types uses all.
//
//idem:wrap
type Types interface {
	//idem:key id
	Aliased(ctx Alias, id string) error
	//idem:key id
	Defined(ctx Own, id string) error
	//idem:key c.User()
	Extended(c web.Context, n int) (int, error)
	//idem:key id
	Literal(ctx interface {
		context.Context
		User() string
	}, id string) (int, string, error)
	//idem:key id
	Concrete(ctx *web.Session, id string) (int, error)
}

// Generic depends on its type arguments.
//
//idem:wrap
type Generic[C context.Context, T any] interface {
	//idem:key id
	Param(ctx C, id string) (T, error)
	//idem:key id
	Instance(ctx web.Scoped[T], id string) (T, error)
}

var samples = []any{
	&web.Session{Context: context.Background(), Name: "ann"},
	web.Scope(context.Background(), "text"),
}
