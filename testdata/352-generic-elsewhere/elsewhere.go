// Package elsewhere gives generic interfaces of another package type parameters of its own.
package elsewhere

import "example.com/cases/352-generic-elsewhere/base"

// Plain is one.
//
//idem:wrap
type Plain[T any] interface{ base.Repo[T] }

// Maps is another.
//
//idem:wrap
type Maps[K comparable] interface{ base.Repo[map[K][]*K] }

// Alias is an alias.
//
//idem:wrap
type Alias[V any] = base.Repo[[]V]
