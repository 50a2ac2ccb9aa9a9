// Package overconnect protects a Connect service at its handler.
package overconnect

import (
	"github.com/idemgen/idemgen/lab/servers/paypb"
	"github.com/idemgen/idemgen/lab/servers/paypb/paypbconnect"
	"github.com/idemgen/idemgen/lab/servers/stored"
)

// chargeResponses stores what Charge answers.
type chargeResponses = stored.Response[paypb.ChargeResponse, *paypb.ChargeResponse]

// Payments is the service. Headers of answers are not stored.
//
//idem:wrap
//idem:on Charge key req.Header().Get("Idempotency-Key")
//idem:on Charge scope req.Msg.GetMeta().GetTenant()
//idem:on Charge fingerprint req.Msg.GetAmount().GetCurrency(), req.Msg.GetAmount().GetCents(), req.Msg.GetCard()
//idem:on Charge codec chargeResponses
//idem:skip *
type Payments interface{ paypbconnect.PaymentsHandler }
