// Package broken has errors that its annotated interfaces need.
package broken

import (
	"context"

	"example.com/cases/303-embedded-problems/base/internal/deep"
	"example.com/cases/304-more-broken/tool"
	other "example.com/cases/304-more-broken/tool"
)

// Record has a broken field.
type Record struct {
	ID   string
	Part Part
}

// Part is the broken one.
type Part struct{ What Missing }

// Store needs it.
//
//idem:wrap
type Store interface {
	//idem:key id
	Put(ctx context.Context, id string, r *Record) error
	//idem:key id
	Get(ctx context.Context, id string) ([]Part, error)
	//idem:key key(id)
	Delete(ctx context.Context, id string) error
	//idem:skip
	Forwarded(r *Record)
}

func key(id Absent) string { return "" }

// Imports are not to be had.
//
//idem:wrap
type Imports interface {
	//idem:skip
	Program(tool.T)
	//idem:skip
	Renamed(other.T)
}

// Embeds what is not there.
//
//idem:wrap
type Embeds interface {
	Nowhere
	//idem:key id
	Put(ctx context.Context, id string) error
}

// Defined from nothing.
//
//idem:wrap
type Defined Nothing

// Twice has a method twice.
//
//idem:wrap
type Twice interface {
	//idem:skip
	A()
	//idem:skip
	A()
}

// Hidden is internal to another tree; the go command names only one bad import, so it is told by its path.
//
//idem:wrap
type Hidden interface {
	//idem:skip
	Dive(deep.Sea)
}
