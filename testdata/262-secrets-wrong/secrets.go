// Package secrets shows what nobody should see.
package secrets

import "context"

// PIN has a text.
type PIN struct {
	Digits string `idem:"secret"`
}

// String gives it away.
func (p PIN) String() string { return p.Digits }

// Card is what is charged.
type Card struct {
	PAN   string `idem:"secret"`
	PIN   PIN
	Owner Owner `idem:"secret"`
	Typo  string `idem:"secrets"`
	Comma string `json:"comma",idem:"secret"`
}

// Owner is all secret.
type Owner struct{ Name string }

// Key is a method of something secret.
func (o Owner) Key() string { return o.Name }

// Charge embeds it.
type Charge struct {
	ID string
	*Card
}

// Secrets is wrapped.
//
//idem:wrap
type Secrets interface {
	//idem:key req.Card.PAN
	//idem:fingerprint none
	A(ctx context.Context, req Charge) error
	//idem:key req.ID, "x" + req.PAN[:4]
	//idem:fingerprint none
	B(ctx context.Context, req Charge) error
	//idem:key req.PIN
	//idem:fingerprint none
	C(ctx context.Context, req Charge) error
	//idem:key req.ID
	//idem:scope req.Owner.Name
	//idem:fingerprint none
	D(ctx context.Context, req Charge) error
	//idem:key req.Owner.Key()
	//idem:fingerprint none
	E(ctx context.Context, req Charge) error
	//idem:key req.ID
	F(ctx context.Context, req Charge) error
	//idem:key id
	G(ctx context.Context, id string) ([]Card, error)
}
