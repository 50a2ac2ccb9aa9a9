// Package secrets marks what nobody should see.
package secrets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
)

// Card is what is charged.
type Card struct {
	PAN   string `json:"pan" idem:"secret"`
	Owner string
}

// Charge is a request.
type Charge struct {
	ID   string
	Card *Card
}

func hashed(c Charge) string {
	if c.Card == nil {
		return ""
	}
	sum := sha256.Sum256([]byte(c.Card.PAN))
	return hex.EncodeToString(sum[:])
}

// Token is a result.
type Token struct {
	Value string `idem:"secret"`
}

// Secrets is wrapped.
//
//idem:wrap
type Secrets interface {
	// All is compared whole.
	//
	//idem:key req.ID
	All(ctx context.Context, req Charge) error
	// Some names what counts.
	//
	//idem:key req.ID
	//idem:fingerprint req.Card.PAN, req.Card.Owner
	Some(ctx context.Context, req Charge) error
	// Open names what is no secret.
	//
	//idem:key req.ID
	//idem:fingerprint req.Card.Owner
	Open(ctx context.Context, req Charge) error
	// Hashed has a key that is made of a secret.
	//
	//idem:key hashed(req)
	//idem:fingerprint none
	Hashed(ctx context.Context, req Charge) (Token, error)
}
