// Package dots imports names into its own scope.
package dots

import (
	"context"
	. "net/netip"
	. "strings"
	. "time"
)

var _ = ToLower

// Probe probes.
//
//idem:wrap
type Probe interface {
	//idem:key ToLower(host)
	Probe(ctx context.Context, host string, at *AddrPort, within Duration) (Time, error)
}
