// Package overgrpc protects a gRPC service at its server: the interface that protoc-gen-go-grpc writes is embedded, because it can't be
// annotated, and the wrapper is registered in the place of the implementation.
package overgrpc

import "github.com/idemgen/idemgen/lab/servers/paypb"

// Payments is the service. Messages are compared by the fields that matter, and stored as protobuf writes them.
//
//idem:wrap
//idem:stale 5s
//idem:on Charge key req.GetMeta().GetIdempotencyKey()
//idem:on Charge scope req.GetMeta().GetTenant()
//idem:on Charge fingerprint req.GetAmount().GetCurrency(), req.GetAmount().GetCents(), req.GetCard()
//idem:on Refund key req.GetKey()
//idem:on Refund fingerprint req.GetCharge()
//idem:on Balance skip
//idem:on Watch skip
type Payments interface{ paypb.PaymentsServer }
