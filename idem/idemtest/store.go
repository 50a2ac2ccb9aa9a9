package idemtest

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the store in memory: its rows, its clock, and how one step is carried out, faults included.

// Store is an idem.Store in memory, for tests: its rows are gone with it. Each step is atomic. It refuses rows that a
// real store would refuse. Safe for concurrent use.
type Store struct {
	faults faults[Step]

	mu      sync.Mutex
	rows    map[idem.ID]*row
	fence   int64 // the last one given out; it never goes back, whatever is deleted
	rowSeq  int64
	audit   []idem.AuditEntry // in the order in which they were written
	calls   map[Step]int
	ahead   time.Duration
	stopped time.Time // where the clock stands; zero: it runs
}

var (
	_ idem.Store = (*Store)(nil)
	_ idem.Admin = (*Store)(nil)
)

// NewStore makes an empty store. Its clock follows the real one until it is stopped.
func NewStore() *Store {
	return &Store{rows: map[idem.ID]*row{}, calls: map[Step]int{}}
}

// Step names a method of idem.Store or idem.Admin.
type Step string

// The steps.
const (
	StepClaim      Step = "claim"
	StepTakeOver   Step = "take over"
	StepReclaim    Step = "reclaim"
	StepHoldLapsed Step = "hold lapsed"
	StepComplete   Step = "complete"
	StepRelease    Step = "release"
	StepAbandon    Step = "abandon"
	StepRenew      Step = "renew"
	StepRead       Step = "read"
	StepSweep      Step = "sweep"
	StepList       Step = "list"
	StepStats      Step = "stats"
	StepDecide     Step = "decide"
	StepAudit      Step = "audit"
)

// row is what is stored. The fields of idem.Row that the clock judges are filled by view.
type row struct {
	idem.Row
	seq        int64 // the order in which a sweep walks
	leaseUntil time.Time
	keep       time.Duration
	locked     chan struct{} // closed when the row is unlocked; nil: it is not locked
}

// atOnce is the keep of a row that expires with its lease.
const atOnce = time.Duration(-1)

// view is the row as the store answers it at this moment, sharing nothing with what is stored.
func (s *Store) view(id idem.ID) idem.Row {
	r, ok := s.rows[id]
	if !ok {
		return idem.Row{ID: id}
	}
	v, now := r.Row, s.now()
	v.Fingerprint, v.Schema, v.Result = bytes.Clone(v.Fingerprint), bytes.Clone(v.Schema), bytes.Clone(v.Result)
	v.ClaimedAt, v.CompletedAt, v.ExpiresAt = stamp(v.ClaimedAt), stamp(v.CompletedAt), stamp(v.ExpiresAt)
	v.Lapsed, v.Expired, v.LeaseLeft = r.lapsed(now), r.expired(now, 0), 0
	if v.State == idem.StateRunning {
		v.LeaseLeft = max(0, r.leaseUntil.Sub(now))
	}
	return v
}

// stamp is t as a database gives it back: in microseconds, without a monotonic part.
func stamp(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.Round(0).UTC().Truncate(time.Microsecond)
}

func (r *row) lapsed(now time.Time) bool {
	return r.State == idem.StateRunning && !now.Before(r.leaseUntil)
}

// expired reports whether the row is past its retention by at least grace.
func (r *row) expired(now time.Time, grace time.Duration) bool {
	var end time.Time
	switch {
	case r.State == idem.StateRunning && r.keep == atOnce:
		end = r.leaseUntil
	case r.State == idem.StateRunning && r.keep > 0:
		end = r.leaseUntil.Add(r.keep)
	case r.State == idem.StateDone || r.State == idem.StateFailed:
		end = r.ExpiresAt
	}
	return !end.IsZero() && !now.Before(end.Add(grace))
}

// do carries out one step, or what a fault makes of it. Ids are the rows that the step concerns.
func do[T any](ctx context.Context, s *Store, name Step, ids []idem.ID, apply func() (T, error)) (T, error) {
	var none T
	s.mu.Lock()
	s.calls[name]++
	s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return none, &idem.StoreError{Reason: "the context ended before the step was sent", NotApplied: true, Err: err}
	}
	i := s.faults.take(func(step Step, f Fault) bool {
		return step == name && (f.ID == idem.ID{} || slices.Contains(ids, f.ID))
	})
	if i == nil {
		return perform(ctx, s, name, ids, apply)
	}
	i.hit()
	return disturb(ctx, i, func(ctx context.Context) (T, error) { return perform(ctx, s, name, ids, apply) })
}

// disturb is what the fault of i makes of a step.
func disturb[T any](ctx context.Context, i *Injection, step func(context.Context) (T, error)) (answer T, err error) {
	var none T
	switch i.fault.Do {
	case LoseAnswer, LoseLast, DelayAnswer, Split:
		if answer, err = step(ctx); err != nil {
			return none, err
		}
	case ApplyLate:
		i.keep(func() bool {
			_, err := step(context.WithoutCancel(ctx))
			return err == nil
		})
	}
	if err := i.pass(ctx); err != nil {
		return none, interrupted(err)
	}
	switch i.fault.Do {
	case Delay:
		return step(ctx)
	case DelayAnswer, Split:
		return answer, nil
	default:
		return none, i.err()
	}
}

// perform applies a step, once nobody has locked the rows that it changes.
func perform[T any](ctx context.Context, s *Store, name Step, ids []idem.ID, apply func() (T, error)) (T, error) {
	for {
		s.mu.Lock()
		locked := s.lockedBySomebody(name, ids)
		if locked == nil {
			defer s.mu.Unlock()
			return apply()
		}
		s.mu.Unlock()
		select {
		case <-locked:
		case <-ctx.Done():
			var none T
			return none, interrupted(ctx.Err())
		}
	}
}

// lockedBySomebody returns what to wait for before a step may be applied; nil: nothing. Claims and reads of a row that is
// there never wait, renewals and sweeps skip.
func (s *Store) lockedBySomebody(name Step, ids []idem.ID) <-chan struct{} {
	switch name {
	case StepClaim, StepRead, StepRenew, StepSweep, StepList, StepStats, StepAudit:
		return nil
	}
	for _, id := range ids {
		if r, ok := s.rows[id]; ok && r.locked != nil {
			return r.locked
		}
	}
	return nil
}

func interrupted(err error) error {
	return &idem.StoreError{Reason: "the context ended before the answer came", Temporary: true, Err: err}
}
