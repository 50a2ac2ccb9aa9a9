// Package on has every mistake that can be made with annotations of embedded methods.
package on

import (
	"context"
	"io"

	"example.com/cases/231-on-wrong/rpc"
)

// Syntax is malformed. Of methods that a refused line is about nothing else is said.
//
//idem:wrap
//idem:on
//idem:on Charge
//idem:on key req.Key
//idem:on Refund kye id
//idem:on Refund idem:key id
//idem:on Refund //idem:skip
//idem:on Refund on Refund skip
//idem:on Refund wrap
//idem:on key Refund id
//idem:on rpc.Server.Ping skip
//idem:on Ping() skip
//idem:on Ping: skip
//idem:on Ping,Refund skip
//idem:on * skip
//idem:on 7 skip
//idem:on Ping skip please
//idem:on Charge key
type Syntax interface{ rpc.Server }

// Lookalike has lines that are no annotations.
//
//idem:wrap
//idem:skip *
// idem:on Charge key req.Key
//Idem:on Charge key req.Key
//idem on Charge key req.Key
/* idem:on Charge key req.Key */
type Lookalike interface{ rpc.Server }

// Methods has mistaken names.
//
//idem:wrap
//idem:on charge key req.Key
//idem:on Refnud key id
//idem:on Nothing skip
//idem:on mustEmbed skip
//idem:on Own skip
//idem:on Ping skip
type Methods interface {
	rpc.Server
	//idem:on Charge key req.Key
	Own()
}

// Twice says things twice.
//
//idem:wrap
//idem:on Charge key req.Key
//idem:on Charge key req.Key
//idem:on Charge fingerprint none
//idem:on Charge lossy it is not needed
//idem:on Charge skip
//idem:on Refund skip
//idem:on Refund ttl 1h
//idem:on Ping skip
//idem:on Kept stale 5s
//idem:on Kept ttl 2h
//idem:on Kept skip
//idem:on Copy key context
//idem:on Copy skip
type Twice interface {
	rpc.Server
	rpc.Annotated
}

// Values has expressions and types that do not do.
//
//idem:wrap
//idem:on Charge key request.Key
//idem:on Refund key idd
//idem:on Refund stale 5
//idem:on Ping key 1
type Values interface{ rpc.Server }

// Types is about the types of what it embeds.
//
//idem:wrap
//idem:on Charge key req.Key
//idem:on Refund key context
//idem:on Ping skip
type Types interface{ rpc.Server }

// Inner is not wrapped, and says something of its own.
//
//idem:on Refund key id
//idem:on Refund stale 3s
//idem:on Ping skip
type Inner interface{ rpc.Server }

// Outer differs from it.
//
//idem:wrap
//idem:on Refund stale 5s
//idem:on Charge skip
type Outer interface{ Inner }

// Open leaves something undecided.
//
//idem:wrap
//idem:on Refund key id
type Open interface {
	rpc.Server
	//idem:skip
	io.Closer
}

// Sealed can't be implemented here.
//
//idem:wrap
//idem:on Do key id
type Sealed interface{ rpc.Sealed }

// Unused is not wrapped.
//
//idem:on Close skip
type Unused interface{ io.Closer }

// Empty embeds nothing.
//
//idem:wrap
//idem:on Close skip
type Empty interface{}

//idem:on Close skip
type number int

var _ = context.Background
