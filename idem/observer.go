package idem

import (
	"context"
	"time"
)

// This file is what an application hears of the engine's work.

// Observer hears of every event. It is called from the goroutine of the call (or of the engine, for background work), and
// should return quickly: the engine waits for it. It must not close the engine. A panic in it is dropped: watching must not
// change what happens to money.
type Observer interface {
	Observe(ctx context.Context, e Event)
}

// ObserverFunc is a function as an Observer.
type ObserverFunc func(context.Context, Event)

// Observe calls f.
func (f ObserverFunc) Observe(ctx context.Context, e Event) { f(ctx, e) }

// Event is one step of one call. New kinds and fields may come.
type Event struct {
	Kind      EventKind
	Operation string
	KeyHash   string // the beginning of the row's id; never the key
	Attempt   int
	Fence     int64
	// Duration is how long the step took: for EventCompleted, EventReleased and EventAbandoned the run and its ending, for the others
	// the time since the call began.
	Duration time.Duration
	Count    int   // of EventSwept: rows deleted
	Err      error // the cause, where there is one; may hold a driver's error with whatever that says
}

// EventKind names a step.
type EventKind string

// The kinds of events.
const (
	EventClaimed        EventKind = "claimed"         // the call won its claim
	EventReclaimed      EventKind = "reclaimed"       // the call won an expired row
	EventTakenOver      EventKind = "taken over"      // the call won a lapsed claim
	EventReplayed       EventKind = "replayed"        // the call got a stored outcome
	EventRecovered      EventKind = "recovered"       // Call.Recover found what an earlier run had done; it is stored next
	EventDetached       EventKind = "detached"        // the caller's context ended, and its method runs on
	EventWaited         EventKind = "waited"          // the call began to wait for another one
	EventConflict       EventKind = "conflict"        // refused: in flight
	EventMismatch       EventKind = "mismatch"        // refused: other arguments
	EventUnknown        EventKind = "unknown"         // refused: the outcome is unknown
	EventHeld           EventKind = "held"            // a claim was moved to unknown
	EventCompleted      EventKind = "completed"       // the outcome is stored
	EventReleased       EventKind = "released"        // the run had no effect; the row is gone, or expired
	EventAbandoned      EventKind = "abandoned"       // the run ended and nobody knows
	EventRolledBack     EventKind = "rolled back"     // the run's transaction was, so it had no effect; the method may be run again
	EventLeaseLost      EventKind = "lease lost"      // the lease could not be kept; the method's context is cancelled
	EventCompleteFailed EventKind = "complete failed" // the method has an outcome, and it could not be stored (yet), or not as a whole
	EventFenced         EventKind = "fenced"          // the run ended, and another call had its row by then: the effect may have happened twice
	EventStoreFailed    EventKind = "store failed"    // a statement failed; it may be sent again
	EventSwept          EventKind = "swept"           // one sweep ended
)
