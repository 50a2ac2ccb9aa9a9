// Package values has settings with too little, too much, or the wrong thing in them.
package values

import "context"

// Bank moves money.
//
//idem:wrap Safe Bank
//idem:policy poll 20s soon
type Bank interface {
	//idem:key id
	//idem:stale 10s renew
	Renew(ctx context.Context, id string) error
	//idem:key id
	//idem:stale 10s norenew please
	NoRenew(ctx context.Context, id string) error
	//idem:key id
	//idem:policy conflict 5s
	Conflict(ctx context.Context, id string) error
	//idem:key id
	//idem:ttl forever and ever
	Forever(ctx context.Context, id string) error
	//idem:key id
	//idem:takeover recover Find
	Recover(ctx context.Context, id string) error
	//idem:key id
	//idem:takeover rerun maxattempts
	Attempts(ctx context.Context, id string) error
	//idem:key id
	//idem:op two words
	Op(ctx context.Context, id string) error
	//idem:key id
	//idem:scope
	NoScope(ctx context.Context, id string) error
	//idem:key id
	//idem:scope id, id
	Scopes(ctx context.Context, id string) error
	//idem:key id
	//idem:scope ok
	BoolScope(ctx context.Context, id string, ok bool) error
	//idem:key id
	//idem:fingerprint except
	Except(ctx context.Context, id string) error
	//idem:key id
	//idem:fingerprint except nobody, ctx
	ExceptNobody(ctx context.Context, id string) error
	//idem:key id
	//idem:fingerprint id, id
	Twice(ctx context.Context, id string) error
	//idem:key id
	//idem:lossy
	NoReason(ctx context.Context, id string) (any, error)
	//idem:key id
	//idem:lossy for no reason
	NoLoss(ctx context.Context, id string) (int, error)
	//idem:key id
	//idem:skip
	Both(ctx context.Context, id string) error
	//idem:skip
	//idem:key id
	BothTurned(ctx context.Context, id string) error
}

// Plain takes nothing but a star.
//
//idem:wrap
//idem:skip all
//idem:op plain
type Plain interface {
	//idem:key id
	Pay(ctx context.Context, id string) error
}

// Idle has a default that nothing uses.
//
//idem:wrap
//idem:ttl 1h
type Idle interface {
	//idem:skip
	Pay(ctx context.Context, id string) error
}
