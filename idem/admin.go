package idem

import (
	"context"
	"encoding/hex"
	"strings"
	"time"
)

// This file is the seam to what people do with claims: look at them, and decide what became of those of which no program knows. A store
// that offers it has these methods beside those of Store. What may be decided about which claim is in decision.go.

// Admin is a store's side for people. The stores of this module are Admins; Engine needs none.
//
// Decide is one atomic step, judged by the store's own clock; the others read, perhaps in several statements. Errors are as those of Store.
type Admin interface {
	// List returns the claims that fit the filter, the one that was claimed first in front. It may look at all rows.
	List(ctx context.Context, f ClaimFilter) (ClaimList, error)

	// Stats counts claims. It looks at all rows.
	Stats(ctx context.Context) (ClaimStats, error)

	// Decide carries a decision out, if the claim is still as it was seen, and writes it down, both or neither. Sent again with the
	// same Token, it returns what was written down the first time. A *Refusal says why nothing was changed. Use the function Decide,
	// which sends it until it is answered.
	Decide(ctx context.Context, d Decision) (AuditEntry, error)

	// Audit returns what was decided, the last decision in front. Nothing of it is ever deleted but by hand.
	Audit(ctx context.Context, f AuditFilter) ([]AuditEntry, error)
}

// Standing is how a claim stands: its state, and what the store's clock and people make of it.
type Standing string

// The standings.
const (
	StandingAbsent  Standing = "absent"
	StandingRunning Standing = "running" // its lease is live
	// StandingLapsed: its lease is over, or its run is known to have ended. Nobody knows whether it had its effect.
	StandingLapsed Standing = "lapsed"
	// StandingNotHappened: a person has decided that there was no effect. The next call of the key runs, whatever the operation's
	// Takeover and MaxAttempts.
	StandingNotHappened Standing = "not-happened"
	StandingDone        Standing = "done"
	StandingFailed      Standing = "failed"
	StandingUnknown     Standing = "unknown"
)

// nobody is the owner of a claim of which a person has decided that nothing happened. No call has it.
var nobody Owner

// notHappened reports whether a person has decided so, and nobody has taken the row since.
func (r Row) notHappened() bool { return r.State == StateRunning && r.Owner == nobody }

// Standing says how the row stood when it was read.
func (r Row) Standing() Standing {
	switch r.State {
	case StateAbsent:
		return StandingAbsent
	case StateDone:
		return StandingDone
	case StateFailed:
		return StandingFailed
	case StateUnknown:
		return StandingUnknown
	}
	switch {
	case !r.Lapsed:
		return StandingRunning
	case r.notHappened():
		return StandingNotHappened
	default:
		return StandingLapsed
	}
}

// ClaimFilter says which claims are meant; the zero value means all.
type ClaimFilter struct {
	// ID is how the id begins, in hexadecimal digits, with or without the dashes. RowID(ref).String() is one claim's.
	ID        string
	Standings []Standing // any of them; empty: all
	// Operation is a name, or how names begin where Prefix is set; empty: any.
	Operation string
	Prefix    bool
	Scope     *string       // nil: any; the empty scope is one, too
	OlderThan time.Duration // since the claim of its present attempt
	After     ClaimCursor   // goes on behind it
	Limit     int           // at most this many; 0: 100
	Results   bool          // with the stored results, which are left out else
}

// IDs are the first and the last id that begin as the filter says; ok is false where it is not the beginning of any. It is for stores.
func (f ClaimFilter) IDs() (first, last ID, ok bool) {
	digits := strings.ReplaceAll(f.ID, "-", "")
	if len(digits) > 2*len(ID{}) {
		return first, last, false
	}
	n := 2*len(ID{}) - len(digits)
	_, err := hex.Decode(first[:], []byte(digits+strings.Repeat("0", n)))
	if err == nil {
		_, err = hex.Decode(last[:], []byte(digits+strings.Repeat("f", n)))
	}
	return first, last, err == nil
}

// ClaimCursor is a place in a list of claims; the zero value is the beginning.
type ClaimCursor struct {
	ClaimedAt time.Time
	ID        ID
}

// ClaimList is a part of a list of claims.
type ClaimList struct {
	Claims []ListedClaim
	More   bool      // there are more behind the last one
	Now    time.Time // by the store's clock
}

// Next is where the list goes on.
func (l ClaimList) Next() (c ClaimCursor) {
	if n := len(l.Claims); n > 0 {
		c = ClaimCursor{l.Claims[n-1].ClaimedAt, l.Claims[n-1].ID}
	}
	return c
}

// ListedClaim is a claim as people look at it.
type ListedClaim struct {
	Row                  // its Result is nil unless it was asked for
	LeaseUntil time.Time // of a running or lapsed one
	Size       int       // of the stored result, in bytes
}

// ClaimStats counts claims.
type ClaimStats struct {
	Groups []ClaimGroup // by operation, in the order of their names, and standing
	Bytes  int64        // that the claims take in the store, all in all, as far as it can say
	Now    time.Time    // by the store's clock
}

// ClaimGroup is the claims of one operation that stand alike.
type ClaimGroup struct {
	Operation   string
	Standing    Standing
	Count       int
	Expired     int       // how many of them may be swept
	Oldest      time.Time // when the oldest one was claimed
	ResultBytes int64     // of their stored results
}

// AuditFilter says which decisions are meant; the zero value means all.
type AuditFilter struct {
	Claim     ID     // the zero ID: of any claim
	Operation string // empty: any
	After     AuditCursor
	Limit     int // at most this many; 0: 100
}

// AuditCursor is a place in a list of decisions; the zero value is the beginning.
type AuditCursor struct {
	At    time.Time
	Token Token
}

// AuditEntry is what is written down of a decision.
type AuditEntry struct {
	Token   Token
	At      time.Time // by the store's clock
	Who     string
	Why     string
	Action  Action
	Force   bool
	Claim   ID
	Ref     Ref      // as the row had it; Key may be missing where the store leaves it out
	Before  Standing // of the claim
	After   Standing
	Owner   Owner // before
	Attempt int   // of the claim
	Codec   string
}
