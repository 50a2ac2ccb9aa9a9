package idemtest

import (
	"errors"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the store's steps as the suite takes them: an error ends the trial, unless the rule is about errors.

func (x *trial) must(step Step, err error) {
	x.Helper()
	if err != nil {
		x.Fatalf("%s: %v", step, err)
	}
}

// row is a step that answers with the row of id.
func (x *trial) row(name Step, id idem.ID, step func() (idem.Row, error)) (row idem.Row) {
	x.Helper()
	x.must(name, unlocked(func() (err error) {
		row, err = step()
		return err
	}))
	check(x, "id", row.ID, id)
	return row
}

func (x *trial) claim(c idem.Claim) idem.Row {
	x.Helper()
	return x.row(StepClaim, c.ID, func() (idem.Row, error) { return x.Store.Claim(x.ctx, c) })
}

func (x *trial) takeOver(c idem.Claim, seen idem.Owner) idem.Row {
	x.Helper()
	return x.row(StepTakeOver, c.ID, func() (idem.Row, error) { return x.Store.TakeOver(x.ctx, c, seen) })
}

func (x *trial) reclaim(c idem.Claim, seen idem.Owner) idem.Row {
	x.Helper()
	return x.row(StepReclaim, c.ID, func() (idem.Row, error) { return x.Store.Reclaim(x.ctx, c, seen) })
}

func (x *trial) hold(id idem.ID, seen idem.Owner) idem.Row {
	x.Helper()
	return x.row(StepHoldLapsed, id, func() (idem.Row, error) { return x.Store.HoldLapsed(x.ctx, id, seen) })
}

func (x *trial) complete(o idem.Outcome) idem.Row {
	x.Helper()
	return x.row(StepComplete, o.Claim.ID, func() (idem.Row, error) { return x.Store.Complete(x.ctx, o) })
}

func (x *trial) release(id idem.ID, owner idem.Owner) (changed bool) {
	x.Helper()
	changed, err := x.Store.Release(x.ctx, id, owner)
	x.must(StepRelease, err)
	return changed
}

func (x *trial) abandon(a idem.Abandonment) (changed bool) {
	x.Helper()
	changed, err := x.Store.Abandon(x.ctx, a)
	x.must(StepAbandon, err)
	return changed
}

func (x *trial) renew(leases ...idem.Lease) []idem.Renewal {
	x.Helper()
	answers, err := x.Store.Renew(x.ctx, leases)
	x.must(StepRenew, err)
	if len(answers) != len(leases) {
		x.Fatalf("%d answers to %d leases", len(answers), len(leases))
	}
	return answers
}

// renewal renews one lease.
func (x *trial) renewal(id idem.ID, owner idem.Owner) idem.Renewal {
	x.Helper()
	return x.renew(idem.Lease{ID: id, Owner: owner, Lease: lease})[0]
}

func (x *trial) read(ids ...idem.ID) []idem.Row {
	x.Helper()
	rows, err := x.Store.Read(x.ctx, ids)
	x.must(StepRead, err)
	if len(rows) != len(ids) {
		x.Fatalf("%d rows for %d ids", len(rows), len(ids))
	}
	for i, id := range ids {
		check(x, "id", rows[i].ID, id)
	}
	return rows
}

// stored is one row, as the store reads it.
func (x *trial) stored(id idem.ID) idem.Row {
	x.Helper()
	return x.read(id)[0]
}

// unlocked repeats a step while it says that somebody has the row, which it may say rather than wait for long.
func unlocked(step func() error) (err error) {
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		err = step()
		if e, ok := errors.AsType[*idem.StoreError](err); !ok || !e.Locked || time.Now().After(deadline) {
			return err
		}
	}
}
