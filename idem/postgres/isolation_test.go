package postgres_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// This file is about databases whose default isolation level makes transactions that meet fail. Ours pin theirs, so that no step fails for
// meeting another.

// melee is many who do everything to few rows, each with what it last saw.
type melee struct {
	*bench
	claims  []idem.Claim
	mu      sync.Mutex
	changed map[idemtest.Step]int // how often a step did what it is for
}

// TestPC5 has all steps meet on four rows, under each default.
func TestPC5_NoStepFailsForMeetingAnotherWhateverTheDefaultIsolation(t *testing.T) {
	t.Parallel()
	for _, isolation := range isolations {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			m := &melee{
				bench:   newBench(t, setup{database: []string{"default_transaction_isolation=" + isolation}}),
				claims:  []idem.Claim{fresh(), fresh(), fresh(), fresh()},
				changed: map[idemtest.Step]int{},
			}
			var steps atomic.Int64
			idemtest.Callers(t, 8, func(int) {
				for n := steps.Add(1); n < 4000 && !t.Failed() && !(n > 800 && m.enough()); n = steps.Add(1) {
					m.step(t)
				}
			})
			if !m.enough() {
				t.Errorf("not every step did something, and the test shows less: %v", m.changed)
			}
		})
	}
}

// enough reports whether every step has changed something several times.
func (m *melee) enough() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, step := range []idemtest.Step{
		idemtest.StepClaim, idemtest.StepTakeOver, idemtest.StepReclaim, idemtest.StepHoldLapsed, idemtest.StepComplete,
		idemtest.StepRelease, idemtest.StepAbandon, idemtest.StepRenew, idemtest.StepSweep,
	} {
		if m.changed[step] < 5 {
			return false
		}
	}
	return true
}

// The first byte of an owner says whether it is a call's.
const nobody, somebody = 0, 1

// step looks at a row, perhaps lets time go by for it, and does something to it as one who saw that.
func (m *melee) step(t *testing.T) {
	ctx := t.Context()
	c := rival(m.claims[rand.IntN(len(m.claims))])
	c.Owner[0] = somebody
	rows, err := m.Read(ctx, []idem.ID{c.ID})
	if err != nil {
		t.Errorf("read: %v", err)
		return
	}
	seen := rows[0].Owner
	switch {
	case rows[0].State == idem.StateUnknown && seen[0] == nobody: // only a person ends that
		m.asOperator(t, "DELETE FROM idem_claims WHERE id = $1", c.ID.String())
		return
	case rand.IntN(4) == 0:
		m.asOperator(t, `UPDATE idem_claims SET claimed_at = claimed_at - $2::interval, lease_until = lease_until - $2::interval,
			completed_at = completed_at - $2::interval, expires_at = expires_at - $2::interval WHERE id = $1`,
			c.ID.String(), []time.Duration{2 * lease, 3 * ttl}[rand.IntN(2)])
	}
	owned := c
	owned.Owner = seen
	kind := rand.IntN(10)
	if seen[0] == nobody && kind >= 5 && kind <= 8 { // who was put in place of an owner that gave up has no run to end
		kind = 2
	}
	switch kind {
	case 0, 1:
		r, err := m.Claim(ctx, c)
		m.did(t, idemtest.StepClaim, r.Owner == c.Owner, err)
	case 2:
		r, err := m.TakeOver(ctx, c, seen)
		m.did(t, idemtest.StepTakeOver, r.Owner == c.Owner, err)
	case 3:
		r, err := m.Reclaim(ctx, c, seen)
		m.did(t, idemtest.StepReclaim, r.Owner == c.Owner, err)
	case 4:
		r, err := m.HoldLapsed(ctx, c.ID, seen)
		m.did(t, idemtest.StepHoldLapsed, r.State == idem.StateUnknown, err)
	case 5:
		r, err := m.Complete(ctx, outcome(owned, idem.Row{Attempt: 1}))
		m.did(t, idemtest.StepComplete, r.State == idem.StateDone && r.Owner == seen, err)
	case 6:
		ok, err := m.Release(ctx, c.ID, seen)
		m.did(t, idemtest.StepRelease, ok, err)
	case 7:
		a := idem.Abandonment{ID: c.ID, Owner: seen, Next: newOwner(), Lapse: rand.IntN(2) == 0, Hold: rand.IntN(4) == 0}
		a.Next[0] = nobody
		ok, err := m.Abandon(ctx, a)
		m.did(t, idemtest.StepAbandon, ok, err)
	case 8:
		a, err := m.Renew(ctx, []idem.Lease{{ID: c.ID, Owner: seen, Lease: lease}, {ID: m.claims[0].ID, Owner: seen, Lease: lease}})
		m.did(t, idemtest.StepRenew, err == nil && a[0] == idem.RenewalDone, err)
	case 9:
		r, err := m.Sweep(ctx, idem.SweepBatch{Limit: 100})
		m.did(t, idemtest.StepSweep, r.Deleted > 0, err)
	}
}

// did takes what became of a step. That a lock was waited for in vain is this machine's slowness.
func (m *melee) did(t *testing.T, step idemtest.Step, changed bool, err error) {
	if pg, ok := errors.AsType[*pgconn.PgError](err); err != nil && !(ok && pg.Code == "55P03") {
		t.Errorf("%s: %v (%s)", step, err, reasonOf(err))
	}
	if changed {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.changed[step]++
	}
}

// reasonOf is the server's own text.
func reasonOf(err error) string {
	var texts []string
	for ; err != nil; err = errors.Unwrap(err) {
		texts = append(texts, err.Error())
	}
	return strings.Join(texts, ": ")
}

// asOperator changes a row past the store, at an isolation level at which that can't fail.
func (m *melee) asOperator(t *testing.T, sql string, args ...any) {
	err := pgx.BeginTxFunc(t.Context(), m.look, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		_, err := tx.Exec(context.Background(), sql, args...)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
