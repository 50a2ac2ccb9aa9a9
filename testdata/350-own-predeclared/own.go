// Package own declares names that are predeclared elsewhere.
package own

import "context"

type string struct{ A int }

type int struct{ B any }

type any = float64


const nil, iota = 1, 2

type len struct{}

func append() {}

// ID is a key.
type ID interface{ MarshalText() ([]byte, error) }

// Own needs no predeclared name but those that it has not got itself.
//
//idem:wrap
type Own interface {
	//idem:key id
	//idem:stale 5s
	One(ctx context.Context, id ID, s string) (string, error)
	//idem:key id
	Two(ctx context.Context, id ID, n int) (int, any, error)
	//idem:skip
	Three(l len) len
}

var _ = append
