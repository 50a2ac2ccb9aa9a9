// Package mail has an interface whose wrapper is in another package.
package mail

import "context"

// Message is sent.
type Message struct{ ID, Text string }

// Sender sends.
//
//idem:wrap
type Sender interface {
	//idem:key m.ID
	Send(ctx context.Context, m Message) error
}

// SMTP implements Sender.
type SMTP struct{ host string }

// Send implements it.
func (s SMTP) Send(ctx context.Context, m Message) error { return nil }
