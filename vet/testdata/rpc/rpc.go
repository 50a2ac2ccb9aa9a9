// Package rpc has messages as protoc makes them.
package rpc

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// Request is a message.
type Request struct {
	Key    string
	SentAt string
}

// GetKey is nil-safe.
func (r *Request) GetKey() string {
	if r == nil {
		return ""
	}
	return r.Key
}

// Sender sends.
//
//idem:wrap
type Sender interface {
	//idem:key req.GetKey()
	Send(ctx context.Context, req *Request) error
}

func send(ctx context.Context, s Sender) {
	for s.Send(ctx, nil) != nil {
		_ = s.Send(ctx, &Request{Key: uuid.NewString()}) // want `made by uuid.NewString inside the loop`
		_ = s.Send(ctx, &Request{Key: "k", SentAt: time.Now().String()})
	}
}
