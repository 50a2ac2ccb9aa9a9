// Package own has parameters named like what the generator declares.
package own

import "context"

// Own is wrapped.
//
//idem:wrap
type Own interface {
	//idem:key ownSend
	Send(ctx context.Context, ownSend string, idempotentOwn, ownSendResults, NewIdempotentOwn int) (int, string, error)
}
