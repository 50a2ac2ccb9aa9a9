package idem

import (
	"context"
	"time"
)

// This file is the seam between the engine and the place where claims are kept. A store moves rows by its own clock
// and by comparing owners; what a row means, and what to do about it, is the engine's business.

// State is a row's state, with the number that is stored.
type State uint8

// The states of a row. A lapsed lease is no state of its own: it is a fact about the store's clock.
const (
	StateAbsent  State = iota // no row: nobody ran it, or the run is known to have had no effect
	StateRunning              // claimed; by somebody alive while the lease holds
	StateDone                 // the result is stored
	StateFailed               // an error is stored on purpose
	StateUnknown              // the effect may have happened; nobody runs it again by himself
)

// Owner is the random id of one call. Comparing it is what protects a row from late writers.
type Owner [16]byte

// Store keeps claims. Every method is one atomic step (one transaction), judged by the store's own clock.
//
// An error means "perhaps applied" unless it is a *StoreError that says otherwise. The engine sends the same step
// again after such an error, so every step must accept being sent twice by the same owner.
//
// All methods honour ctx. Abilities that not every store has come as further interfaces, so that Store stays as it is.
type Store interface {
	// Claim inserts a running row with c's owner unless a row is there, and returns the row as it is then: the caller
	// won if and only if the answer's Owner is its own. A row that vanished in between is StateAbsent.
	Claim(ctx context.Context, c Claim) (Row, error)

	// TakeOver gives a running row that is still seen's, and whose lease has lapsed, to c's owner: attempt+1, a new
	// fence and lease, one more lapse unless the row was abandoned; the fingerprint stays. It returns the row as it is then.
	TakeOver(ctx context.Context, c Claim, seen Owner) (Row, error)

	// Reclaim starts an expired row (see Row.Expired) that is still seen's over again for c's owner, as Claim would: attempt 1,
	// no lapses, c's fingerprint, no outcome. It returns the row as it is then.
	Reclaim(ctx context.Context, c Claim, seen Owner) (Row, error)

	// HoldLapsed moves a running row that is still seen's, and whose lease has lapsed, to StateUnknown. The owner stays, so
	// that a slow run can still settle it. It returns the row as it is then.
	HoldLapsed(ctx context.Context, id ID, seen Owner) (Row, error)

	// Complete stores an outcome in a running or unknown row of o.Claim.Owner, whatever its lease; a row that is gone is
	// inserted complete. It returns the row as it is then: the outcome is stored if and only if the answer is settled (done or failed) and
	// its Owner is the caller's, which is also so when this very outcome had been stored before.
	Complete(ctx context.Context, o Outcome) (Row, error)

	// Release deletes a running or unknown row of owner. Changed is false when there was none.
	Release(ctx context.Context, id ID, owner Owner) (changed bool, err error)

	// Abandon ends the lease of a running row of a.Owner now (or moves it to StateUnknown) and replaces the owner, so that a
	// late renewal cannot revive it; an unknown row stays so, unless a.Expire. Changed is false when a.Owner had neither.
	Abandon(ctx context.Context, a Abandonment) (changed bool, err error)

	// Renew extends leases from now, whether they have lapsed or not; a row of the same owner in StateUnknown runs again. It
	// never waits for a locked row. The answers are in the order of leases.
	Renew(ctx context.Context, leases []Lease) ([]Renewal, error)

	// Read reads rows in the order of ids; a missing one is StateAbsent.
	Read(ctx context.Context, ids []ID) ([]Row, error)

	// Sweep deletes one bounded batch of expired rows: done and failed ones, and running ones that have an expiry, each past
	// it by at least grace. Unknown rows and running ones without expiry are evidence and stay.
	Sweep(ctx context.Context, b SweepBatch) (SweepResult, error)
}

// Claim asks for a row.
type Claim struct {
	ID          ID
	Ref         Ref
	Owner       Owner
	Fingerprint []byte        // 1 to 64 bytes, the first is the version
	Lease       time.Duration // from the moment the store acts on it
	// Keep is how long the row is kept after its lease lapsed before it counts as expired and may be reclaimed or swept; 0: it never expires while
	// it is running (it is evidence that something may have happened).
	Keep   time.Duration
	Origin string // who claims, for people; may be empty
}

// Outcome is what Complete stores.
type Outcome struct {
	Claim   Claim // whole, so that a row that is gone can be inserted complete
	Attempt int
	Fence   int64
	State   State         // StateDone or StateFailed
	TTL     time.Duration // how long it is kept from now; Forever for good
	Codec   string        // 1 to 255 bytes
	Schema  []byte        // hash of the stored shape, may be empty
	Result  []byte        // may be empty
	Code    string        // names a stored error, up to 1,024 bytes of text; not empty exactly when State is StateFailed
}

// Abandonment ends a run of which nobody knows whether it had an effect.
type Abandonment struct {
	ID    ID
	Owner Owner
	// Next replaces Owner. It is random, and the same when the abandonment is sent again.
	Next Owner
	// Lapse counts this ending as a lapse (a panic does, a caller who gave up does not).
	Lapse bool
	// Hold moves the row to StateUnknown.
	Hold bool
	// Expire says that there was no effect: the row counts as expired at once, also when somebody held it as unknown. It is Release for
	// an owner of whom a Claim may still be on its way: that finds the row. Not together with Hold.
	Expire bool
}

// Lease is one claim to renew.
type Lease struct {
	ID    ID
	Owner Owner
	Lease time.Duration
}

// Renewal is what became of one lease to renew.
type Renewal uint8

// The answers of Renew.
const (
	RenewalLost   Renewal = iota // the row is gone, settled, or another owner's: lost for good
	RenewalDone                  // the lease runs again from now
	RenewalLocked                // somebody has the row locked; nothing is known, try again
)

// Row is a claim as read. Lapsed, Expired and LeaseLeft are judged by the store's clock.
type Row struct {
	ID          ID
	Ref         Ref // as stored; Key may be missing where the store leaves it out
	State       State
	Owner       Owner
	Attempt     int // from 1, +1 with every take-over
	Lapses      int // how many runs lapsed or panicked
	Fence       int64
	Fingerprint []byte
	Abandoned   bool // running, and its run is known to have ended
	Lapsed      bool // the lease is over (of a running row)
	Expired     bool // past its retention: may be reclaimed, whatever its fingerprint
	LeaseLeft   time.Duration
	ClaimedAt   time.Time // of the present attempt
	CompletedAt time.Time // zero: not settled
	ExpiresAt   time.Time // zero: never, or not settled
	Codec       string
	Schema      []byte
	Result      []byte
	Code        string
	Origin      string
}

// SweepBatch bounds one step of a sweep. A store walks its rows in an order of its own, From where the last step ended.
type SweepBatch struct {
	From  int64 // 0: the beginning; else Next of the step before
	Limit int   // about how many rows to look at, at least 1
	Grace time.Duration
}

// SweepResult is what one step of a sweep did.
type SweepResult struct {
	Deleted int
	Next    int64 // where to go on; 0: the end was reached
}

// StoreError is how a Store says more than "failed". Err is for logs of the application's choice: the engine never prints it.
type StoreError struct {
	// Reason is a short text that is safe to show: no key, no argument, no result, no DSN.
	Reason string
	// Temporary: the same step may succeed when it is sent again soon (a lost connection, a restart, a serialization failure).
	Temporary bool
	// NotApplied: the step is certain to have had no effect, now and later.
	NotApplied bool
	// Locked: somebody's open transaction has the row, or is inserting it, and the step did not wait for it any longer. It had no
	// effect. To a claim that says "in flight".
	Locked bool
	// TooMuch: it was what the step wanted to store that the store refused; something smaller it may take.
	TooMuch bool
	Err     error
}

// Error is the reason.
func (e *StoreError) Error() string { return e.Reason }

// Unwrap is the store's own error.
func (e *StoreError) Unwrap() error { return e.Err }
