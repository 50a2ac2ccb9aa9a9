// Package overgrpc protects a gRPC service at its server: the interface that protoc-gen-go-grpc writes is embedded, because it can't be
// annotated, and the wrapper is registered in the place of the implementation.
package overgrpc

import (
	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/lab/servers/paypb"
	"github.com/idemgen/idemgen/lab/servers/stored"
)

var _ idem.Codec[*paypb.ChargeResponse] = stored.Proto[*paypb.ChargeResponse]{}

// Payments is the service. Messages are compared by the fields that matter.
//
//idem:wrap
//idem:stale 5s
//idem:codec stored.Proto
//idem:on Charge key req.GetMeta().GetIdempotencyKey()
//idem:on Charge scope req.GetMeta().GetTenant()
//idem:on Charge fingerprint req.GetAmount().GetCurrency(), req.GetAmount().GetCents(), req.GetCard()
//idem:on Refund key req.GetKey()
//idem:on Refund fingerprint req.GetCharge()
//idem:on Balance skip
//idem:on Watch skip
type Payments interface{ paypb.PaymentsServer }
