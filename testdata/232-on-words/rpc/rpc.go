// Package rpc has interfaces that say nothing.
package rpc

import (
	"context"
	"database/sql"
	"errors"
)

// ErrDeclined is final.
var ErrDeclined = errors.New("declined")

// TimeoutError says nothing about the effect.
type TimeoutError struct{ After int }

func (*TimeoutError) Error() string { return "timeout" }

// Reply is a result.
type Reply struct{ ID string }

// Server is the service.
type Server interface {
	Charge(context.Context, string) (Reply, error)
	FindCharge(context.Context, string) (Reply, bool, error)
	Book(context.Context, *sql.Tx, string) error
	Send(context.Context, string) error
	Note(context.Context, string) error
}
