// Package level has keys that call its own functions.
package level

import (
	"context"
	"strings"
)

const prefix = "p-"

func normal(s string) string { return strings.ToUpper(s) }

// Kind is an enumeration.
type Kind int

// The kinds.
const (
	Card Kind = iota + 1
	Cash
)

var names = map[Kind]string{Card: "card", Cash: "cash"}

type pay struct{ ID string }

// Level uses what its package declares.
//
//idem:wrap
type Level interface {
	//idem:key prefix + normal(id)
	A(ctx context.Context, id string) error
	//idem:key names[Card] + id
	B(ctx context.Context, id, names2 string) error
	//idem:key pay{ID: id}.ID
	C(ctx context.Context, id string) error
	//idem:key id
	D(ctx context.Context, id string, normal int, prefix Kind) error
}
