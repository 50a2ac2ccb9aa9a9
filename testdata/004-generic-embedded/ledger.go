// Package ledger embeds generic interfaces with their arguments filled in.
package ledger

import (
	"context"
	"net/url"
)

// Entry is an entry.
type Entry struct{ Cents int64 }

type reader[T any] interface {
	Read(ctx context.Context, id string) (T, error)
}

type appender[K ~string, V any] interface {
	//idem:key string(k)
	Append(ctx context.Context, k K, v V) (V, error)
}

// Account is the sort of id.
type Account string

// Ledger has neither K nor V nor T.
//
//idem:wrap
//idem:skip *
type Ledger interface {
	reader[[]*url.URL]
	appender[Account, map[string]*Entry]
}
