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
	before func(context.Context, idemtest.Step)  // just before a step is sent
	after  func(step idemtest.Step, r *idem.Row) // when a step was answered, which it may change; nil: it answers no row
}

func (s *seamStore) enter(ctx context.Context, step idemtest.Step) {
	if s.before != nil {
		s.before(ctx, step)
	}
}

func (s *seamStore) leave(step idemtest.Step, r *idem.Row) {
	if s.after != nil {
		s.after(step, r)
	}
}

func (s *seamStore) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	s.enter(ctx, idemtest.StepClaim)
	r, err := s.Store.Claim(ctx, c)
	s.leave(idemtest.StepClaim, &r)
	return r, err
}

func (s *seamStore) TakeOver(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	s.enter(ctx, idemtest.StepTakeOver)
	r, err := s.Store.TakeOver(ctx, c, seen)
	s.leave(idemtest.StepTakeOver, &r)
	return r, err
}

func (s *seamStore) Reclaim(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	s.enter(ctx, idemtest.StepReclaim)
	r, err := s.Store.Reclaim(ctx, c, seen)
	s.leave(idemtest.StepReclaim, &r)
	return r, err
}

func (s *seamStore) HoldLapsed(ctx context.Context, id idem.ID, seen idem.Owner) (idem.Row, error) {
	s.enter(ctx, idemtest.StepHoldLapsed)
	r, err := s.Store.HoldLapsed(ctx, id, seen)
	s.leave(idemtest.StepHoldLapsed, &r)
	return r, err
}

func (s *seamStore) Read(ctx context.Context, ids []idem.ID) ([]idem.Row, error) {
	s.enter(ctx, idemtest.StepRead)
	return s.Store.Read(ctx, ids)
}

func (s *seamStore) Renew(ctx context.Context, leases []idem.Lease) ([]idem.Renewal, error) {
	s.enter(ctx, idemtest.StepRenew)
	r, err := s.Store.Renew(ctx, leases)
	s.leave(idemtest.StepRenew, nil)
	return r, err
}

// seamStage is a stage whose engine works through a seam.
type seamStage struct {
	*stage
	seam  *seamStore
	other *idem.Engine // another process's; it is observed like the first
}

func newSeamStage(t testing.TB, opts ...idem.Option) *seamStage {
	t.Helper()
	s := newStage(t)
	return s.behindSeam(postgres.NewStore(s.pool), opts...)
}

// behindSeam gives the stage another engine, on store; the one it had is another process's from now on.
func (s *stage) behindSeam(store *postgres.Store, opts ...idem.Option) *seamStage {
	s.Helper()
	x := &seamStage{stage: s, seam: &seamStore{Store: store}, other: s.engine}
	s.engine = newEngine(s, x.seam, append(opts, idem.WithObserver(s.events))...)
	return x
}

// elsewhere is a call by the other process.
func (x *seamStage) elsewhere(ctx context.Context, op *idem.Operation[string], key, arg string) (string, error) {
	return idem.Do(ctx, x.other, op, x.request(key, arg))
}

// inTheGap runs do once, in the gap just before the engine sends its first step of this kind.
func (x *seamStage) inTheGap(step idemtest.Step, do func()) {
	var once sync.Once
	x.seam.before = func(_ context.Context, s idemtest.Step) {
		if s == step {
			once.Do(do)
		}
	}
}

// lateClaim makes the engine's first claim of key look as it does when its answer comes late: d of its lease have passed by then, in
// the database too. So what a lease's end is about is seen at once, and with the margins of a long lease.
func (x *seamStage) lateClaim(key string, d time.Duration, then ...func()) {
	var once sync.Once
	x.seam.after = func(step idemtest.Step, r *idem.Row) {
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

// leaseLeft is what is left of a lease, by the database's clock.
func (s *stage) leaseLeft(key string) (left time.Duration) {
	s.Helper()
	id := idem.RowID(idem.Ref{Operation: charge.Name, Key: key})
	err := s.pool.QueryRow(context.Background(), "SELECT lease_until - clock_timestamp() FROM idem_claims WHERE id = $1", [16]byte(id)).Scan(&left)
	if err != nil {
		s.Fatal(err)
	}
	return left
}
