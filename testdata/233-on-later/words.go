// Package words has words that the runtime can not do yet.
package words

import (
	"context"

	"example.com/cases/233-on-later/rpc"
)

// Server is annotated from outside, with expressions and names of this package.
//
//idem:wrap
//idem:scope tenant
//idem:on Charge key req
//idem:on Charge scope none
//idem:on Charge takeover recover FindCharge
//idem:on Charge errors final rpc.ErrDeclined
//idem:on FindCharge skip
//idem:on Book key arg3
//idem:on Book tx join
//idem:on Send key req
//idem:on Send detach
//idem:on Note key req
//idem:on Note tx own
type Server interface{ rpc.Server }

const tenant = "shop"

var _ = context.Background
