// Package outer has defaults that yield to those of what it embeds.
package outer

import (
	"context"

	"example.com/cases/306-defaults/base"
)

// Bank mixes both.
//
//idem:wrap
//idem:policy poll
//idem:ttl 48h
//idem:scope none
type Bank interface {
	base.Store
	//idem:key id
	Pay(ctx context.Context, id string) error
	//idem:key id
	//idem:scope tenant
	//idem:ttl forever
	Refund(ctx context.Context, tenant, id string) error
}
