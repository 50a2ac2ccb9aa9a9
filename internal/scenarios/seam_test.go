package scenarios

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is a stage for what happens between two steps of one call: its engine works through a store with hooks around the real
// one, and a second engine on the same database is what another process does meanwhile.

// seamStore is a real store with hooks. They are set before the first call and not changed after it.
type seamStore struct {
	*postgres.Store
	before func(context.Context, idemtest.Step)            // just before a step is sent
	after  func(context.Context, idemtest.Step, *idem.Row) // when a step was answered by a row, which it may change
}

func (s *seamStore) enter(ctx context.Context, step idemtest.Step) {
	if s.before != nil {
		s.before(ctx, step)
	}
}

func (s *seamStore) around(ctx context.Context, step idemtest.Step, send func() (idem.Row, error)) (idem.Row, error) {
	s.enter(ctx, step)
	r, err := send()
	if s.after != nil {
		s.after(ctx, step, &r)
	}
	return r, err
}

func (s *seamStore) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	return s.around(ctx, idemtest.StepClaim, func() (idem.Row, error) { return s.Store.Claim(ctx, c) })
}

func (s *seamStore) TakeOver(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	return s.around(ctx, idemtest.StepTakeOver, func() (idem.Row, error) { return s.Store.TakeOver(ctx, c, seen) })
}

func (s *seamStore) Reclaim(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	return s.around(ctx, idemtest.StepReclaim, func() (idem.Row, error) { return s.Store.Reclaim(ctx, c, seen) })
}

func (s *seamStore) HoldLapsed(ctx context.Context, id idem.ID, seen idem.Owner) (idem.Row, error) {
	return s.around(ctx, idemtest.StepHoldLapsed, func() (idem.Row, error) { return s.Store.HoldLapsed(ctx, id, seen) })
}

func (s *seamStore) Complete(ctx context.Context, o idem.Outcome) (idem.Row, error) {
	return s.around(ctx, idemtest.StepComplete, func() (idem.Row, error) { return s.Store.Complete(ctx, o) })
}

func (s *seamStore) Read(ctx context.Context, ids []idem.ID) ([]idem.Row, error) {
	s.enter(ctx, idemtest.StepRead)
	return s.Store.Read(ctx, ids)
}

func (s *seamStore) Renew(ctx context.Context, leases []idem.Lease) ([]idem.Renewal, error) {
	s.enter(ctx, idemtest.StepRenew)
	return s.Store.Renew(ctx, leases)
}

// seamStage is a stage whose engine works through a seam.
type seamStage struct {
	*stage
	seam  *seamStore
	other *stage // another process; its events are the stage's
}

func newSeamStage(t testing.TB, opts ...idem.Option) *seamStage {
	t.Helper()
	s := newStage(t)
	return s.behindSeam(postgres.NewStore(s.pool), opts...)
}

// behindSeam gives the stage another engine, on store; the one it had is another process's from now on.
func (s *stage) behindSeam(store *postgres.Store, opts ...idem.Option) *seamStage {
	s.Helper()
	x := &seamStage{stage: s, seam: &seamStore{Store: store}, other: s.twin()}
	s.worksOn(x.seam, opts...)
	return x
}

// inTheGap runs do once, in the gap just before the engine sends its first step of this kind.
func (x *seamStage) inTheGap(step idemtest.Step, do func()) {
	do = sync.OnceFunc(do)
	x.seam.before = func(_ context.Context, s idemtest.Step) {
		if s == step {
			do()
		}
	}
}

// onAnswer runs do once, just after the engine's first step of this kind was answered.
func (x *seamStage) onAnswer(step idemtest.Step, do func()) {
	do = sync.OnceFunc(do)
	x.seam.after = func(_ context.Context, s idemtest.Step, _ *idem.Row) {
		if s == step {
			do()
		}
	}
}

// lateClaim makes the engine's first claim of key look as it does when its answer comes late: d of its lease have passed by then, in
// the database too. So what a lease's end is about is seen at once, and with the margins of a long lease.
func (x *seamStage) lateClaim(key string, d time.Duration, then ...func()) {
	var once sync.Once
	x.seam.after = func(_ context.Context, step idemtest.Step, r *idem.Row) {
		if step == idemtest.StepClaim && r.State == idem.StateRunning {
			once.Do(func() {
				x.age(key, d)
				r.LeaseLeft -= d
				for _, f := range then {
					f()
				}
			})
		}
	}
}
