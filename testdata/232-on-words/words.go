// Package words has every word that may stand behind on.
package words

import (
	"context"

	"example.com/cases/232-on-words/rpc"
)

// Server is annotated from outside, with expressions and names of this package.
//
//idem:wrap
//idem:scope tenant
//idem:on Charge key req
//idem:on Charge op words.charge
//idem:on Charge policy poll 30s
//idem:on Charge stale 20s norenew
//idem:on Charge ttl forever
//idem:on Charge scope none
//idem:on Charge errors unknown *rpc.TimeoutError
//idem:on Charge fingerprint none
//idem:on FindCharge skip
//idem:on Book key arg3
//idem:on Send key req
//idem:on Send takeover hold maxattempts 3
//idem:on Note key req
//idem:on Note fingerprint except req
type Server interface{ rpc.Server }

const tenant = "shop"

var _ = context.Background
