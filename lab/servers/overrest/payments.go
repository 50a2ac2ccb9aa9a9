// Package overrest protects a service that oapi-codegen has written a strict server for. What its methods return is an interface, so they
// need a codec that knows the types behind it.
package overrest

import "github.com/idemgen/idemgen/lab/servers/payrest"

// Payments is the service.
//
//idem:wrap
//idem:on Charge key request.Params.IdempotencyKey
//idem:on Charge scope request.Params.Tenant
//idem:on Charge fingerprint request.Body
//idem:on Charge codec chargeResponses
//idem:on GetCharge skip
type Payments interface{ payrest.StrictServerInterface }
