package idem

import (
	"context"
	"math"
	"time"
)

// This file is what a caller of Do fills in: the fixed half of a keyed method, and one call of it.

// Operation is the fixed half of a keyed method: what the generator knows. Share one value between calls and do not
// change it after the first. The zero value of every field but Name means the default.
type Operation[T any] struct {
	// Name is stored data, up to 1,024 bytes: renaming an operation forgets its keys.
	Name string
	// Scoped says that every call must carry a scope; one without is refused rather than run in no scope.
	Scoped bool
	// Policy is what a duplicate does while the first call runs.
	Policy Policy
	// MaxWait is how long a duplicate polls under PolicyPoll; default Lease + 5s, so that it lives to take over.
	MaxWait time.Duration
	// Lease is how long a claim is valid without renewal, at least 100ms; default 15s.
	Lease time.Duration
	// NoRenew makes Lease a plain timeout.
	NoRenew bool
	// TTL is how long an outcome is kept from its completion; default 24h. See Forever.
	TTL time.Duration
	// Takeover is what the next caller does with a lapsed claim.
	Takeover Takeover
	// MaxAttempts is after how many lapses and panics the claim becomes unknown, which the next call does that finds it so; default 10. Runs
	// that say nothing, or whose callers gave up, don't count.
	MaxAttempts int
	// Codec stores results; default JSON[T], nothing at all for Void.
	Codec Codec[T]
	// Errors gives classes to the method's errors; the first rule that matches decides.
	Errors []ErrorRule
	// Reads are the hashes of the stored shapes that are read as T, as idem.lock has them; T's own is always one of them. An outcome of
	// another shape is then ErrUnreadable, unless an upcast reads it, even if it would decode: it may mean something else. nil: whatever
	// decodes is read. Only for results that are stored as JSON.
	Reads Shapes
	// Upcasts read outcomes of older shapes; they go before Reads.
	Upcasts []Upcast[T]
	// Tx makes effect and outcome commit together, where the effect is in the store's database; the store has to be a Transactor. Every ending
	// but a commit has had no effect then: the claim is released, unless the error is final, and MaxAttempts counts nothing. A method that met
	// another transaction (SQLSTATE 40001 or 40P01) is run again, a bounded number of times.
	Tx TxMode
	// Detach lets the method outlive its caller's cancellation by up to one Lease: it runs in a goroutine of the engine's, in a context with
	// the caller's values that ends one Lease after the caller's. A caller whose context ends gets an error at once that is both its context's
	// and ErrInFlight; the outcome is stored all the same, and a later call gets it. So the method may still use its arguments when the
	// call has returned: don't reuse what they point to. A panic of the method abandons its claim, is observed (EventAbandoned), and then
	// ends the process, for there is no caller who could recover it.
	Detach bool
}

// Call is the changing half: one invocation. Key and Run are required.
type Call[T any] struct {
	Key   Key
	Scope Key // the zero Key: no scope
	// Args adds what a duplicate must agree on to be the same request; nil: nothing.
	Args func(*Fingerprint)
	// Run is the method. Its context carries the claim (FromContext), and is cancelled with cause ErrLeaseLost when the lease is lost.
	Run func(context.Context) (T, error)
	// Recover tells whether an earlier attempt has had its effect, and its result if so. It is needed under TakeoverRecover, and not
	// allowed elsewhere. It is asked before the method in every attempt but the first (Run.Attempt above 1), under the claim and with the
	// method's context. After a yes, what it found is stored and returned, and the method does not run. After a no the method runs, if the lease
	// still holds. Its error is returned unchanged, whatever marks it has, and abandons the claim: the next call asks again. A panic counts
	// as one of the method's.
	Recover func(context.Context) (T, bool, error)
	// Tx is the caller's transaction, in the store's type, under TxJoin, and needed there.
	Tx any
}

// Policy is what a duplicate does while the first call runs.
type Policy uint8

// The policies.
const (
	PolicyPoll     Policy = iota // wait for the outcome, up to MaxWait
	PolicyConflict               // fail at once with ErrInFlight
)

// Takeover is what the next caller does with a lapsed claim.
type Takeover uint8

// The takeover policies.
const (
	TakeoverRerun   Takeover = iota // run the method again
	TakeoverRecover                 // ask Call.Recover first, and run only what has not happened
	TakeoverHold                    // nobody runs it again: the outcome is unknown until somebody decides
)

// TxMode is how the method's effect and its outcome share a transaction.
type TxMode uint8

// The transaction modes.
const (
	TxOff        TxMode = iota // they don't
	TxOwn                      // the claim commits first; the engine's transaction holds effect and outcome
	TxJoin                     // the caller's transaction holds claim, effect and outcome
	TxOptimistic               // the engine's transaction holds the effect, then claim and outcome
)

// Forever keeps an outcome for good.
const Forever time.Duration = math.MaxInt64

// Shapes are hashes of stored shapes.
type Shapes []string

// Void is the result of an operation that returns only an error.
type Void struct{}
