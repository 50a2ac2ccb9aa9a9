package sqlite

import (
	"database/sql"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/idemgen/idemgen/idem"
)

// This file turns values into parameters and back, and checks them before they are sent: what a constraint refuses is a defect of ours,
// and the message of a driver may quote it.

// text is s, or NULL where it is empty.
func text(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// notNull is b, which a driver would take for NULL where it is nil.
func notNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (s *Store) key(c idem.Claim) sql.NullString {
	if s.withoutKeys {
		return sql.NullString{}
	}
	return text(c.Ref.Key)
}

// longest is longer than anybody keeps an outcome, and short enough for arithmetic with times.
const longest = 100 * 365 * 24 * time.Hour

func micros(d time.Duration) int64 { return min(d, longest).Microseconds() }

// keep is NULL where a running row never expires.
func keep(d time.Duration) sql.NullInt64 { return sql.NullInt64{Int64: micros(d), Valid: d > 0} }

// ttl is NULL where an outcome never expires.
func ttl(d time.Duration) sql.NullInt64 {
	return sql.NullInt64{Int64: micros(d), Valid: d < longest}
}

// never is the time of what never happens.
const never = math.MaxInt64

// instant is t, or the zero time where it is NULL or never.
func instant(t sql.NullInt64) time.Time {
	if !t.Valid || t.Int64 == never {
		return time.Time{}
	}
	return time.UnixMicro(t.Int64).UTC()
}

func checkClaim(c idem.Claim) error {
	switch {
	case !sized(c.Ref.Operation, 1, 1024):
		return refused("the operation's name is not 1 to 1,024 bytes of text")
	case !sized(c.Ref.Scope, 0, 255):
		return refused("the scope is not at most 255 bytes of text")
	case !sized(c.Ref.Key, 1, 255):
		return refused("the key is not 1 to 255 bytes of text")
	case !sized(c.Origin, 0, 1024):
		return refused("the origin is not at most 1,024 bytes of text")
	case len(c.Fingerprint) < 1 || len(c.Fingerprint) > 64:
		return refused("the fingerprint is not 1 to 64 bytes long")
	default:
		return nil
	}
}

func checkOutcome(o idem.Outcome) error {
	switch {
	case o.State != idem.StateDone && o.State != idem.StateFailed:
		return refused("an outcome is done or failed")
	case (o.State == idem.StateFailed) != (o.Code != "") || !sized(o.Code, 0, 1024):
		return refused("a failed outcome, and no other, has a code of 1 to 1,024 bytes of text")
	case !sized(o.Codec, 1, 255):
		return refused("the codec's name is not 1 to 255 bytes of text")
	case o.TTL <= 0:
		return refused("the time to keep the outcome is not positive")
	case o.Attempt < 1:
		return refused("the attempt is not positive")
	default:
		return checkClaim(o.Claim)
	}
}

// sized reports whether s can be stored as text and has a length in range.
func sized(s string, shortest, longest int) bool {
	return len(s) >= shortest && len(s) <= longest && utf8.ValidString(s) && !strings.Contains(s, "\x00")
}

func refused(reason string) error {
	return &idem.StoreError{Reason: reason, NotApplied: true}
}
