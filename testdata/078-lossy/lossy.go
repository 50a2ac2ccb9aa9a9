// Package lossy accepts results that do not survive storage.
package lossy

import "context"

// Card has a secret.
type Card struct {
	Last4 string
	CVC   string `json:"-"`
}

// Lossy issues cards.
//
//idem:wrap
type Lossy interface {
	//idem:key id
	//idem:lossy the code is shown once
	Issue(ctx context.Context, id string) (Card, error)
}
