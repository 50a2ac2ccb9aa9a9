// Package rpc is like what generators of servers write: parameters without names, and a method that makes people embed something.
package rpc

import "context"

// Request and Reply are messages.
type (
	Request struct{ Meta *Meta }
	Meta    struct{ Key, Tenant string }
	Reply   struct{ ID string }
)

// GetMeta and GetKey take nil, as generated getters do.
func (r *Request) GetMeta() *Meta {
	if r == nil {
		return nil
	}
	return r.Meta
}

func (m *Meta) GetKey() string {
	if m == nil {
		return ""
	}
	return m.Key
}

// PaymentsServer is the service.
type PaymentsServer interface {
	Charge(context.Context, *Request) (*Reply, error)
	Refund(context.Context, *Request) error
	Move(context.Context, string, string, *Request) (Reply, error)
	Watch(*Request, chan<- Reply) error
	Ping(_ context.Context, _ *Request) (*Reply, error)
	mustEmbedUnimplementedPaymentsServer()
}

// UnimplementedPaymentsServer is for embedding.
type UnimplementedPaymentsServer struct{ PaymentsServer }

func (UnimplementedPaymentsServer) mustEmbedUnimplementedPaymentsServer() {}

// UnsafePaymentsServer is for those who don't.
type UnsafePaymentsServer interface{ mustEmbedUnimplementedPaymentsServer() }

// ChargeRecorder has one of the methods, too, with names for its parameters.
type ChargeRecorder interface {
	Charge(when context.Context, what *Request) (*Reply, error)
}
