// Package defined wraps types whose interface literal stands elsewhere.
package defined

import "context"

// Sender sends.
type Sender interface {
	//idem:key id
	Send(ctx context.Context, id string) error
}

type sink[T any] interface {
	//idem:key id
	Drain(ctx context.Context, id string, v []T) (T, error)
}

// Mailer has a Sender's methods.
//
//idem:wrap
type Mailer Sender

// Numbers has an instance's.
//
//idem:wrap
type Numbers sink[int]

// Same is an alias.
//
//idem:wrap
type Same = Sender
