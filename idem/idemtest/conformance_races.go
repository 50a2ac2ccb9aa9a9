package idemtest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the rules about calls that meet: on locked rows, at the same moment, and with contexts that end.

var lockRules = []rule{
	{"a claim of a row that is there does not wait for its lock", func(x *trial) {
		c, row := x.won()
		defer x.locked(c.ID)()
		x.unchanged(row, x.claim(rival(c)))
	}},
	{"a read does not wait for a lock", func(x *trial) {
		c, row := x.settled()
		defer x.locked(c.ID)()
		x.unchanged(row, x.stored(c.ID))
	}},
	{"a renewal does not wait for a lock, and a locked row is not lost", func(x *trial) {
		locked, _ := x.won()
		free, _ := x.won()
		unlock := x.locked(locked.ID)
		defer unlock()
		answers := x.renew(idem.Lease{ID: locked.ID, Owner: locked.Owner, Lease: lease}, idem.Lease{ID: free.ID, Owner: free.Owner, Lease: lease})
		check(x, "renewal of the locked row", answers[0], idem.RenewalLocked)
		check(x, "renewal of the free row", answers[1], map[bool]idem.Renewal{false: idem.RenewalDone, true: idem.RenewalLocked}[x.OneLock])
		unlock()
		check(x, "renewal", x.renewal(locked.ID, locked.Owner), idem.RenewalDone)
	}},
	{"PA1: a sweep does not wait for a lock, and leaves the row", func(x *trial) {
		c, _ := x.settled()
		x.Age(x, c.ID, ttl+time.Minute)
		unlock := x.locked(c.ID)
		defer unlock()
		x.sweepAll(100, 0)
		x.has(c.ID)
		unlock()
		x.sweepAll(100, 0)
		x.hasNot(c.ID)
	}},
	{"a step that waits for a lock gives up when its context ends, and works afterwards", func(x *trial) {
		c, row := x.won()
		unlock := x.locked(c.ID)
		defer unlock()
		ctx, cancel := context.WithTimeout(x.ctx, 50*time.Millisecond)
		defer cancel()
		if _, err := x.Store.Complete(ctx, done(c, row)); err == nil {
			x.Error("completed a locked row")
		}
		unlock()
		o := done(c, row)
		check(x, "state", x.complete(o).State, idem.StateDone)
	}},
}

// locked locks a row until unlock is called, for the first time.
func (x *trial) locked(id idem.ID) (unlock func()) {
	x.Helper()
	return sync.OnceFunc(x.Lock(x, id))
}

// rounds is how often a race is run: one that is lost shows only now and then. The calls take turns in coming first.
const rounds = 20

// rivals is how many calls meet in a race.
const rivals = 16

var raceRules = []rule{
	{"A1, A5: of claims at the same moment one wins, and every loser sees the winner", func(x *trial) {
		for range rounds {
			c := x.fresh()
			x.oneWins(func() (idem.Owner, idem.Row, error) {
				mine := rival(c)
				row, err := x.Store.Claim(x.ctx, mine)
				return mine.Owner, row, err
			})
		}
	}},
	{"B6: of take-overs at the same moment one wins", func(x *trial) {
		for range rounds {
			c, _ := x.lapsed()
			x.oneWins(func() (idem.Owner, idem.Row, error) {
				mine := rival(c)
				row, err := x.Store.TakeOver(x.ctx, mine, c.Owner)
				return mine.Owner, row, err
			})
			row := x.stored(c.ID)
			check(x, "attempt", row.Attempt, 2)
			check(x, "lapses", row.Lapses, 1)
		}
	}},
	{"B7: of reclaims at the same moment one wins", func(x *trial) {
		for range rounds {
			c, _ := x.settled()
			x.Age(x, c.ID, ttl+time.Minute)
			x.oneWins(func() (idem.Owner, idem.Row, error) {
				mine := rival(c)
				row, err := x.Store.Reclaim(x.ctx, mine, c.Owner)
				return mine.Owner, row, err
			})
		}
	}},
	{"a late result and a take-over at the same moment: one of them, never both", func(x *trial) {
		for round := range rounds {
			c, before := x.lapsed()
			next := rival(c)
			var completed, taken atomic.Bool
			x.meet(2, func(i int) error {
				if i == round%2 {
					row, err := x.Store.Complete(x.ctx, done(c, before))
					completed.Store(row.State == idem.StateDone && row.Owner == c.Owner)
					return err
				}
				row, err := x.Store.TakeOver(x.ctx, next, c.Owner)
				taken.Store(row.State == idem.StateRunning && row.Owner == next.Owner)
				return err
			})
			if completed.Load() == taken.Load() {
				x.Errorf("completed %v, taken over %v", completed.Load(), taken.Load())
			}
		}
	}},
	{"one outcome sent twice at the same moment is stored once", func(x *trial) {
		for round := range rounds {
			c, row := x.won()
			if round%2 == 1 {
				x.release(c.ID, c.Owner) // so that all find the row gone
			}
			o := done(c, row)
			x.meet(4, func(int) error {
				row, err := x.Store.Complete(x.ctx, o)
				if err == nil && (row.State != idem.StateDone || row.Owner != c.Owner) {
					return errors.New("not told that the outcome is stored")
				}
				return err
			})
			x.isOutcome(x.stored(c.ID), o)
		}
	}},
	{"PA1: a sweep at the same moment does not delete what was just reclaimed", func(x *trial) {
		for round := range rounds {
			c, _ := x.settled()
			x.Age(x, c.ID, ttl+time.Minute)
			next := rival(c)
			var won atomic.Bool
			x.meet(3, func(i int) error {
				if i != round%3 {
					_, err := x.Store.Sweep(x.ctx, idem.SweepBatch{Limit: 100_000})
					return err
				}
				row, err := x.Store.Reclaim(x.ctx, next, c.Owner)
				won.Store(row.Owner == next.Owner)
				return err
			})
			if row := x.stored(c.ID); won.Load() && (row.Owner != next.Owner || row.State != idem.StateRunning) {
				x.Fatal("a reclaimed row was swept")
			}
		}
	}},
	{"renewals of the same rows in any order at the same moment all succeed or skip", func(x *trial) {
		var leases []idem.Lease
		for range 20 {
			c, _ := x.won()
			leases = append(leases, idem.Lease{ID: c.ID, Owner: c.Owner, Lease: lease})
		}
		x.meet(8, func(i int) error {
			for range rounds {
				mine := append(append([]idem.Lease(nil), leases[i:]...), leases[:i]...)
				answers, err := x.Store.Renew(x.ctx, mine)
				if err != nil {
					return err
				}
				for _, a := range answers {
					if a == idem.RenewalLost {
						return errors.New("a lease was lost")
					}
				}
			}
			return nil
		})
	}},
}

// meet runs f several times at once; none may fail for good.
func (x *trial) meet(n int, f func(i int) error) {
	x.Helper()
	Callers(x, n, func(i int) {
		if err := unlocked(func() error { return f(i) }); err != nil {
			x.Errorf("call %d: %v", i, err)
		}
	})
}

// oneWins runs calls at once that each want the row for the owner they return, and checks that exactly one gets it and
// that all the others see him.
func (x *trial) oneWins(call func() (idem.Owner, idem.Row, error)) {
	x.Helper()
	var mine, seen [rivals]idem.Owner
	x.meet(rivals, func(i int) error {
		owner, row, err := call()
		mine[i], seen[i] = owner, row.Owner
		return err
	})
	winners := 0
	for i := range mine {
		if mine[i] == seen[i] {
			winners++
		}
		if seen[i] != seen[0] {
			x.Error("two calls see two winners")
		}
	}
	check(x, "winners", winners, 1)
}

var cancellationRules = []rule{
	{"a step whose context is over returns an error, and the store works on", func(x *trial) {
		over, cancel := context.WithCancel(x.ctx)
		cancel()
		for name, step := range x.steps() {
			if step(over) == nil {
				x.Errorf("%s: no error", name)
			}
			if err := step(x.ctx); err != nil {
				x.Errorf("%s: %v", name, err)
			}
		}
	}},
	{"steps that are cancelled on their way leave rows that can be settled", func(x *trial) {
		for i := range rounds {
			c := x.fresh()
			ctx, cancel := context.WithTimeout(x.ctx, time.Duration(i*100)*time.Microsecond)
			_, _ = x.Store.Claim(ctx, c) // perhaps applied
			cancel()
			row := x.claim(c)
			check(x, "owner", row.Owner, c.Owner)
			o := done(c, row)
			ctx, cancel = context.WithTimeout(x.ctx, time.Duration(i*100)*time.Microsecond)
			_, _ = x.Store.Complete(ctx, o) // perhaps applied
			cancel()
			x.isOutcome(x.complete(o), o)
		}
	}},
}

// steps is one call of each step, each on a row of its own.
func (x *trial) steps() map[Step]func(context.Context) error {
	c, row := x.won()
	lapsed, _ := x.lapsed()
	old, _ := x.settled()
	x.Age(x, old.ID, ttl+time.Minute)
	toHold, _ := x.lapsed()
	toRelease, _ := x.won()
	toAbandon, _ := x.won()
	return map[Step]func(context.Context) error{
		StepClaim: func(ctx context.Context) error { _, err := x.Store.Claim(ctx, x.fresh()); return err },
		StepTakeOver: func(ctx context.Context) error {
			_, err := x.Store.TakeOver(ctx, rival(lapsed), lapsed.Owner)
			return err
		},
		StepReclaim: func(ctx context.Context) error { _, err := x.Store.Reclaim(ctx, rival(old), old.Owner); return err },
		StepHoldLapsed: func(ctx context.Context) error {
			_, err := x.Store.HoldLapsed(ctx, toHold.ID, toHold.Owner)
			return err
		},
		StepComplete: func(ctx context.Context) error { _, err := x.Store.Complete(ctx, done(c, row)); return err },
		StepRelease: func(ctx context.Context) error {
			_, err := x.Store.Release(ctx, toRelease.ID, toRelease.Owner)
			return err
		},
		StepAbandon: func(ctx context.Context) error {
			_, err := x.Store.Abandon(ctx, idem.Abandonment{ID: toAbandon.ID, Owner: toAbandon.Owner, Next: newOwner()})
			return err
		},
		StepRenew: func(ctx context.Context) error {
			_, err := x.Store.Renew(ctx, []idem.Lease{{ID: c.ID, Owner: c.Owner, Lease: lease}})
			return err
		},
		StepRead:  func(ctx context.Context) error { _, err := x.Store.Read(ctx, []idem.ID{c.ID}); return err },
		StepSweep: func(ctx context.Context) error { _, err := x.Store.Sweep(ctx, idem.SweepBatch{Limit: 1}); return err },
	}
}
