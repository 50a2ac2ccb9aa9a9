package idemtest

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file shows that the conformance suite bites: stores with one defect each (they are listed in defects_test.go) must fail a
// rule, and every rule must be failed by one of them.

// TestSuite_FailsBrokenStores runs each broken store through the groups of rules it is listed for.
func TestSuite_FailsBrokenStores(t *testing.T) {
	failedOnce := map[string]bool{}
	for _, d := range defects {
		failed := failedRules(t, d)
		if len(failed) == 0 {
			t.Errorf("no rule finds that %s", d.name)
		}
		for _, rule := range failed {
			failedOnce[rule] = true
		}
	}
	for _, g := range groups {
		for _, r := range g.rules {
			if name := g.name + ": " + r.name; !failedOnce[name] {
				t.Errorf("nothing fails the rule %q", name)
			}
		}
	}
}

// failedRules is which rules of its groups a broken store fails.
func failedRules(t *testing.T, d defect) (failed []string) {
	for _, g := range groups {
		if !slices.Contains(d.groups, g.name) {
			continue
		}
		h := d.harness()
		for _, r := range g.rules {
			if verdict := judge(t, h, r); verdict != "" {
				failed = append(failed, g.name+": "+r.name)
				if testing.Verbose() {
					t.Logf("%s\n\t%s: %s\n\t%s", d.name, g.name, r.name, verdict)
				}
			}
		}
	}
	return failed
}

// judge checks one rule and returns its first complaint, or "".
func judge(t *testing.T, h Harness, r rule) string {
	j := &jury{TB: t}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		r.try(t.Context(), j, h)
	}()
	<-finished
	return j.first
}

// jury is a test that keeps its complaints to itself.
type jury struct {
	testing.TB
	mu    sync.Mutex
	first string
}

func (j *jury) Helper() {}
func (j *jury) Errorf(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.first = cmp.Or(j.first, fmt.Sprintf(format, args...))
}
func (j *jury) Error(args ...any)                 { j.Errorf("%s", fmt.Sprint(args...)) }
func (j *jury) Fatal(args ...any)                 { j.Error(args...); runtime.Goexit() }
func (j *jury) Fatalf(format string, args ...any) { j.Errorf(format, args...); runtime.Goexit() }

// defect is one way in which a store breaks its promises.
type defect struct {
	name   string
	groups []string // of rules that it is tried on
	// before and after a step spoil the row it concerns, or its answer; the store is locked. around replaces Store.
	before, after func(*touch)
	around        func(*Store) idem.Store
	lock          func(*Store, idem.ID) (unlock func())
}

// touch is one step on one row, as a defect sees it.
type touch struct {
	s       *Store
	step    Step
	id      idem.ID
	owner   idem.Owner // of the caller
	seen    idem.Owner // by the caller
	claim   idem.Claim
	sweep   idem.SweepBatch
	row     *row      // nil: there is none
	old     row       // as it was before the step
	answer  *idem.Row // where the step answers with a row, after it
	renewed []idem.Renewal
	read    []idem.Row
	swept   *idem.SweepResult
}

func (d defect) harness() Harness {
	s := NewStore()
	h := harness(s)
	switch {
	case d.around != nil:
		h.Store = d.around(s)
	default:
		h.Store = &broken{s, d}
	}
	if d.lock != nil {
		h.Lock = func(_ testing.TB, id idem.ID) func() { return d.lock(s, id) }
	}
	return h
}

// broken is a store with a defect.
type broken struct {
	*Store
	d defect
}

// spoil runs a step between the defect's halves.
func (b *broken) spoil(t *touch, step func() error) error {
	b.mu.Lock()
	t.s, t.row = b.Store, b.rows[t.id]
	if t.row != nil {
		t.old = *t.row
	}
	if b.d.before != nil {
		b.d.before(t)
	}
	b.mu.Unlock()
	err := step()
	b.mu.Lock()
	defer b.mu.Unlock()
	t.row = b.rows[t.id]
	if b.d.after != nil && err == nil {
		b.d.after(t)
	}
	return err
}

func (b *broken) answerRow(t *touch, step func() (idem.Row, error)) (row idem.Row, err error) {
	err = b.spoil(t, func() error {
		row, err = step()
		t.answer = &row
		return err
	})
	return row, err
}

func (b *broken) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	t := &touch{step: StepClaim, id: c.ID, owner: c.Owner, claim: c}
	return b.answerRow(t, func() (idem.Row, error) { return b.Store.Claim(ctx, c) })
}

func (b *broken) TakeOver(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	t := &touch{step: StepTakeOver, id: c.ID, owner: c.Owner, seen: seen, claim: c}
	return b.answerRow(t, func() (idem.Row, error) { return b.Store.TakeOver(ctx, t.claim, seen) })
}

func (b *broken) Reclaim(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	t := &touch{step: StepReclaim, id: c.ID, owner: c.Owner, seen: seen, claim: c}
	return b.answerRow(t, func() (idem.Row, error) { return b.Store.Reclaim(ctx, t.claim, seen) })
}

func (b *broken) HoldLapsed(ctx context.Context, id idem.ID, seen idem.Owner) (idem.Row, error) {
	t := &touch{step: StepHoldLapsed, id: id, seen: seen}
	return b.answerRow(t, func() (idem.Row, error) { return b.Store.HoldLapsed(ctx, id, seen) })
}

func (b *broken) Complete(ctx context.Context, o idem.Outcome) (idem.Row, error) {
	t := &touch{step: StepComplete, id: o.Claim.ID, owner: o.Claim.Owner, claim: o.Claim}
	return b.answerRow(t, func() (idem.Row, error) { return b.Store.Complete(ctx, o) })
}

func (b *broken) Release(ctx context.Context, id idem.ID, owner idem.Owner) (changed bool, err error) {
	t := &touch{step: StepRelease, id: id, owner: owner}
	err = b.spoil(t, func() error { changed, err = b.Store.Release(ctx, id, owner); return err })
	return changed, err
}

func (b *broken) Abandon(ctx context.Context, a idem.Abandonment) (changed bool, err error) {
	t := &touch{step: StepAbandon, id: a.ID, owner: a.Owner}
	err = b.spoil(t, func() error { changed, err = b.Store.Abandon(ctx, a); return err })
	return changed, err
}

// Renew is spoilt for the first lease of the list.
func (b *broken) Renew(ctx context.Context, leases []idem.Lease) (answers []idem.Renewal, err error) {
	t := &touch{step: StepRenew}
	if len(leases) > 0 {
		t.id, t.owner = leases[0].ID, leases[0].Owner
	}
	err = b.spoil(t, func() error { answers, err = b.Store.Renew(ctx, leases); t.renewed = answers; return err })
	return answers, err
}

func (b *broken) Read(ctx context.Context, ids []idem.ID) (rows []idem.Row, err error) {
	t := &touch{step: StepRead}
	if len(ids) > 0 {
		t.id = ids[0]
	}
	err = b.spoil(t, func() error { rows, err = b.Store.Read(ctx, ids); t.read = rows; return err })
	return t.read, err
}

func (b *broken) Sweep(ctx context.Context, batch idem.SweepBatch) (done idem.SweepResult, err error) {
	t := &touch{step: StepSweep, sweep: batch}
	err = b.spoil(t, func() error { done, err = b.Store.Sweep(ctx, t.sweep); t.swept = &done; return err })
	return done, err
}

// past is when everything has lapsed.
var past = time.Now().Add(-1000 * time.Hour)
