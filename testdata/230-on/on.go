// Package on says of embedded methods what can't be written where they are declared.
package on

import (
	"context"
	"io"
	"net/http"
	"strings"

	"example.com/cases/230-on/base"
	"example.com/cases/230-on/rpc"
)

const prefix = "pay-"

var _ = strings.ToLower

// Payments is a generated server.
//
//idem:wrap
//idem:stale 20s
//idem:on Charge key prefix + strings.ToLower(req.GetMeta().GetKey())
//idem:on Charge scope req.Meta.Tenant
//idem:on Charge stale 5s
//idem:on Charge fingerprint req.Meta.Key, req.Meta.Tenant, req
//idem:on Charge op pay.charge
//idem:on Refund key req.GetMeta().GetKey()
//idem:on Move key arg2, arg4.Meta.Key
//idem:on Watch skip
//idem:on Ping skip
type Payments interface{ rpc.PaymentsServer }

// Direct is the same without an interface in between.
//
//idem:wrap
//idem:skip *
//idem:on Charge	 key	req.Meta.Key
type Direct = rpc.PaymentsServer

// Defined has its methods, too.
//
//idem:wrap
//idem:skip *
//idem:on Refund key req.Meta.Key
type Defined rpc.PaymentsServer

// Twice gets Charge from two interfaces; the names of the parameters come from the one that has some.
//
//idem:wrap
//idem:skip *
//idem:on Charge key what.Meta.Key
type Twice interface {
	rpc.PaymentsServer
	rpc.ChargeRecorder
}

// Stream has methods of the standard library.
//
//idem:wrap
//idem:on Close skip
//idem:on Read skip
//idem:on Write skip
//idem:on ServeHTTP skip
//idem:on Table key key
//idem:on Take key id
type Stream interface {
	io.ReadWriteCloser
	http.Handler
	Tables
	base.Box[map[string]io.Reader]
	//idem:key id
	Append(ctx context.Context, id string) error
}

// Tables is embedded, and says something of what it embeds itself.
//
//idem:on Put key string(id)
type Tables interface {
	base.Table[base.ID, map[string]int]
}

// Generic passes its type parameter on.
//
//idem:wrap
//idem:on Put key base.Text[K](id)
//idem:on Put fingerprint base.Text[K](id), e
//idem:on Table key key
//idem:on Take key id
type Generic[K ~string, V any] interface {
	base.Table[K, V]
	base.Box[V]
}
