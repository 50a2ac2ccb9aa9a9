package idem

import (
	"context"
	"time"
)

// This file removes what has expired, a bounded step at a time.

// sweepStep is about how many rows one step of a sweep looks at.
const sweepStep = 1000

// Sweep walks all rows once and deletes those past their expiry and the grace (WithSweepGrace): stored outcomes, and lapsed claims of
// operations that are run again. Claims whose outcome is unknown are evidence and are never deleted. It may run in any
// number of processes at once, and returns how many rows it deleted; after an error or ctx's end too.
func (e *Engine) Sweep(ctx context.Context) (deleted int, err error) {
	began := time.Now()
	for from := int64(0); ; {
		r, err := e.store.Sweep(ctx, SweepBatch{From: from, Limit: sweepStep, Grace: e.config.sweepGrace})
		deleted += r.Deleted
		if err != nil || r.Next == 0 {
			e.notify(ctx, Event{Kind: EventSwept, Count: deleted, Duration: time.Since(began), Err: err})
			return deleted, sweepFailed(ctx, err)
		}
		from = r.Next
	}
}

// sweepFailed makes a store's error the engine's.
func sweepFailed(ctx context.Context, cause error) error {
	switch {
	case cause == nil:
		return nil
	case ctx.Err() != nil:
		return (&request{}).gaveUp(ctx, Row{})
	default:
		return (&request{}).storeFailed(cause)
	}
}

// sweepForever sweeps about every interval until the engine begins to close. A sweep that fails is reported and left to the
// next one.
func (e *Engine) sweepForever(context.Context) {
	for pause(e.closing, e.config.sweepEvery) == nil {
		_, _ = e.Sweep(e.closing)
	}
}
