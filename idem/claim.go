package idem

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"
)

// This file is a call from its first statement to the moment it may run, or has its answer: claim or read, decide by what
// the row says, wait, and again. It is a loop because every answer may be outdated when it arrives; every way round it
// is either a wait (bounded by the operation's MaxWait) or counted.

// maxFaster is how often in a row somebody else may be faster (a row changed between two statements) before the call gives up.
const maxFaster = 12

// do is one call: the owner's run, another one's outcome, or an error.
func (e *Engine) do(ctx context.Context, q *request, b body) error {
	if !e.enter() {
		return q.fail(ErrClosed, Row{})
	}
	defer e.leave()
	c, err := e.claimingOf(ctx, q)
	if err != nil {
		return err
	}
	defer c.leave(ctx)
	for faster := 0; faster < maxFaster; faster++ {
		if faster > 0 && pause(ctx, time.Duration(faster)*time.Millisecond) != nil {
			return q.gaveUp(ctx, Row{})
		}
		a, err := c.send(ctx, c.first())
		if err != nil {
			return err
		}
		d := q.decide(a)
		if d == decideTake {
			if a, d, err = c.take(ctx, a.row); err != nil {
				return err
			}
		}
		switch d {
		case decideRun:
			if started, err := e.start(ctx, c, b, a); started || err != nil {
				return err
			}
		case decideTry:
			if started, err := e.startUnclaimed(ctx, c, b); started || err != nil {
				return err
			}
		case decideWait, decideLocked:
			if err := c.wait(ctx, a); err != nil {
				return err
			}
			faster = -1 // a wait is no race lost
		case decideAnswer:
			return e.answer(ctx, q, b, a.row)
		}
	}
	failed := q.fail(ErrStore, Row{})
	failed.Reason = "the row kept changing under this call"
	failed.RetryAfter = time.Second
	return failed
}

// decision is what a row means for a call.
type decision uint8

const (
	decideAgain  decision = iota // somebody was faster: look again
	decideRun                    // the claim is this call's
	decideTry                    // there is none, and the method is run without
	decideTake                   // expired or lapsed: try to get it
	decideWait                   // somebody is on it
	decideLocked                 // somebody is just changing it, and nobody can say to what
	decideAnswer                 // there is an answer, be it an error
)

// decide reads a row in the order that makes answers true: whose it is, whether it still counts, whether it is about the
// same request, and only then what state it is in.
func (q *request) decide(a acked) decision {
	row := a.row
	switch {
	case a.locked:
		return decideLocked
	case row.State == StateAbsent && q.tx == TxOptimistic:
		return decideTry
	case row.State == StateAbsent:
		return decideAgain
	case q.collides(row):
		return decideAnswer
	case row.Owner == q.owner:
		return decideRun
	case row.Expired:
		return decideTake
	case !q.same(row), row.State != StateRunning:
		return decideAnswer
	case row.Lapsed:
		return decideTake
	default:
		return decideWait
	}
}

// collides reports whether the row with this id is another key's. With 128 bits of SHA-256 that is a broken store.
func (q *request) collides(row Row) bool {
	return row.Ref.Operation != q.ref.Operation || row.Ref.Scope != q.ref.Scope || row.Ref.Key != "" && row.Ref.Key != q.ref.Key
}

// same reports whether the row was claimed with this call's arguments.
func (q *request) same(row Row) bool {
	return subtle.ConstantTimeCompare(q.fingerprint, row.Fingerprint) == 1
}

// take gets an expired or lapsed row, or finds out why not.
func (c *claiming) take(ctx context.Context, seen Row) (acked, decision, error) {
	e, q := c.e, c.q
	step := c.steps.TakeOver
	switch {
	case seen.notHappened() && !seen.Expired: // the next call runs, by whatever policy
	case seen.Expired:
		step = c.steps.Reclaim
	case q.takeover == TakeoverHold || q.tx == TxOff && q.exhausted(seen): // under a transaction, what lapsed had no effect
		step = func(ctx context.Context, c Claim, owner Owner) (Row, error) {
			return e.store.HoldLapsed(ctx, c.ID, owner)
		}
	}
	a, err := c.send(ctx, func(ctx context.Context, c Claim) (Row, error) { return step(ctx, c, seen.Owner) })
	if err != nil {
		return a, decideAgain, err
	}
	if a.row.State == StateUnknown && a.row.Owner == seen.Owner {
		e.notify(ctx, q.event(EventHeld, a.row))
	}
	if a.locked {
		a.row = seen
	}
	a.taken = seen
	d := q.decide(a)
	if d == decideTake || d == decideWait { // not ours after all: the next claim says what it is now
		d = decideAgain
	}
	return a, d, nil
}

// exhausted reports whether a lapsed row has lapsed often enough that nobody runs it again by himself.
func (q *request) exhausted(row Row) bool {
	lapses := row.Lapses
	if !row.Abandoned {
		lapses++
	}
	return lapses >= q.maxAttempts
}

// answer is the call's return when the row has an outcome, or bars it.
func (e *Engine) answer(ctx context.Context, q *request, b body, row Row) error {
	switch {
	case q.collides(row):
		err := q.fail(ErrStore, row)
		err.Reason = "the row with this key's id belongs to another key"
		return err
	case !q.same(row):
		return e.mismatch(ctx, q, row)
	case row.State == StateUnknown:
		e.notify(ctx, q.event(EventUnknown, row))
		return q.unsettled(row)
	default:
		return e.replay(ctx, q, b, row)
	}
}

func (e *Engine) mismatch(ctx context.Context, q *request, row Row) error {
	err := q.fail(ErrMismatch, row)
	if len(row.Fingerprint) == 0 || row.Fingerprint[0] != q.fingerprint[0] {
		err.Reason = "they were recorded in a form this program does not know, so they can't be compared"
	}
	e.notify(ctx, q.event(EventMismatch, row))
	return err
}

// replay gives the call the row's outcome. What can't be given is an error, and never a reason to run again.
func (e *Engine) replay(ctx context.Context, q *request, b body, row Row) error {
	q.info.Attempt, q.info.CompletedAt, q.info.ExpiresAt = row.Attempt, row.CompletedAt, row.ExpiresAt
	q.info.Replayed, q.info.Recovered = true, false
	ev := q.event(EventReplayed, row)
	switch {
	case row.State == StateFailed:
		ev.Err = q.replayFinal(b.errorCodec(), row)
		e.notify(ctx, ev)
		return ev.Err
	case row.Codec == codecNone:
		ev.Err = q.fail(ErrResultNotStored, row)
		e.notify(ctx, ev)
		return ev.Err
	}
	q.info.Stored = true
	if cause := b.decode(row); cause != nil {
		err := q.unreadable(row, cause)
		ev.Err = err
		e.notify(ctx, ev)
		return err
	}
	e.notify(ctx, ev)
	return nil
}

// unreadable is the call's error when an outcome is stored and can't be decoded.
func (q *request) unreadable(row Row, cause error) *Error {
	err := q.fail(ErrUnreadable, row)
	err.Cause = cause
	if known, ok := errors.AsType[unreadable](cause); ok {
		err.Reason, err.Cause = known.reason, known.err
	}
	return err
}

// unsettled is the call's error when the outcome is unknown.
func (q *request) unsettled(row Row) *Error {
	err := q.fail(ErrOutcomeUnknown, row)
	err.Reason = fmt.Sprintf("attempt %d began at %s, and nobody may run it again by himself", row.Attempt, row.ClaimedAt.UTC().Format(time.RFC3339))
	return err
}

// storeFailed is the call's error for a store's.
func (q *request) storeFailed(cause error) *Error {
	err := q.fail(ErrStore, Row{})
	if errors.Is(cause, ErrBadOperation) {
		err.Kind = ErrBadOperation
	}
	err.Cause = cause
	var s *StoreError
	if errors.As(cause, &s) {
		err.Reason = s.Reason
		if s.Temporary {
			err.RetryAfter = time.Second
		}
	}
	return err
}

// gaveUp is the call's error when its context ended before the method ran.
func (q *request) gaveUp(ctx context.Context, row Row) *Error {
	kind := context.Canceled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		kind = context.DeadlineExceeded
	}
	err := q.fail(kind, row)
	if cause := context.Cause(ctx); cause != kind { //nolint:errorlint // the same value would say nothing more
		err.Cause = cause
	}
	return err
}

func (q *request) event(kind EventKind, row Row) Event {
	return Event{
		Kind: kind, Operation: q.ref.Operation, KeyHash: q.id.hash(),
		Attempt: row.Attempt, Fence: row.Fence, Duration: time.Since(q.began),
	}
}

func (q *request) storeEvent(err error) Event {
	ev := q.event(EventStoreFailed, Row{})
	ev.Err = err
	return ev
}

// conflict is the call's error when another one is running.
func (q *request) conflict(row Row) *Error {
	err := q.fail(ErrInFlight, row)
	err.RetryAfter = max(time.Second, row.LeaseLeft.Round(time.Second))
	return err
}
