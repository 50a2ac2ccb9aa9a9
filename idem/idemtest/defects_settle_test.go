package idemtest

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the defects of the steps by which a run ends, of those that take many rows, and under concurrency.

var settleDefects = []defect{
	{name: "anybody settles a row", groups: []string{"complete", "abandon", "reclaim"}, before: at(StepComplete, func(t *touch) {
		t.row.Owner = t.owner
	})},
	{name: "a late result is refused", groups: []string{"complete"}, before: at(StepComplete, func(t *touch) {
		if t.row.lapsed(t.s.now()) {
			t.row.Owner = newOwner()
		}
	})},
	{name: "a held row can't be settled", groups: []string{"complete"}, before: at(StepComplete, func(t *touch) {
		if t.row.State == idem.StateUnknown {
			t.row.Owner = newOwner()
		}
	})},
	{name: "the outcome of a row that is gone is lost", groups: []string{"complete"}, after: at(StepComplete, func(t *touch) {
		if t.old.State == idem.StateAbsent {
			delete(t.s.rows, t.id)
			*t.answer = idem.Row{ID: t.id}
		}
	})},
	{name: "an outcome sent again replaces the first", groups: []string{"complete"}, before: at(StepComplete, func(t *touch) {
		if t.row.Owner == t.owner {
			t.row.State = idem.StateRunning
		}
	})},
	{name: "the schema hash is lost", groups: []string{"complete", "claim"}, after: won(StepComplete, func(t *touch) { t.row.Schema = nil })},
	{name: "the code of an error is lost", groups: []string{"complete"}, after: won(StepComplete, func(t *touch) { t.row.Code = "" })},
	{name: "results end at a NUL", groups: []string{"complete"}, after: won(StepComplete, func(t *touch) {
		t.row.Result, _, _ = bytes.Cut(t.row.Result, []byte{0})
	})},
	{name: "an empty result is no outcome", groups: []string{"complete"}, after: won(StepComplete, func(t *touch) {
		if len(t.row.Result) == 0 {
			t.row.State = idem.StateRunning
		}
	})},
	{name: "an outcome is kept from its claim on", groups: []string{"complete"}, after: won(StepComplete, func(t *touch) {
		if t.old.State == idem.StateRunning {
			t.row.ExpiresAt = t.row.ClaimedAt.Add(ttl)
		}
	})},
	{name: "for good is an hour", groups: []string{"complete", "reclaim", "sweep"}, after: won(StepComplete, func(t *touch) {
		if t.row.ExpiresAt.IsZero() {
			t.row.ExpiresAt = t.row.CompletedAt.Add(time.Hour)
		}
	})},
	{name: "completing begins to count anew", groups: []string{"complete"}, after: won(StepComplete, func(t *touch) {
		t.row.Attempt, t.row.Lapses = 1, 0
	})},
	{name: "answers share what is stored", groups: []string{"complete"}, after: at(StepComplete, func(t *touch) {
		t.answer.Result = t.row.Result
	})},
	{name: "a release does not compare the owner", groups: []string{"release", "abandon"}, before: at(StepRelease, func(t *touch) {
		t.row.Owner = t.owner
	})},
	{name: "a release deletes all rows of its owner", groups: []string{"claim", "release"}, before: at(StepRelease, func(t *touch) {
		for id, r := range t.s.rows {
			if r.Owner == t.owner && id != t.id {
				delete(t.s.rows, id)
			}
		}
	})},
	{name: "an outcome is released", groups: []string{"release"}, before: at(StepRelease, func(t *touch) { t.row.State = idem.StateRunning })},
	{name: "what has lapsed is not released", groups: []string{"release"}, before: at(StepRelease, func(t *touch) {
		if t.row.lapsed(t.s.now()) {
			t.row.Owner = newOwner()
		}
	})},
	{name: "a release leaves the row", groups: []string{"release"}, before: at(StepRelease, func(t *touch) {
		if t.row.Owner == t.owner && t.row.State == idem.StateRunning {
			t.row.seq, t.s.rows[idem.ID{1}] = t.row.seq+1, t.row
		}
	})},
	{name: "what is held is not released", groups: []string{"release"}, before: at(StepRelease, func(t *touch) {
		if t.row.State == idem.StateUnknown {
			t.row.Owner = newOwner()
		}
	})},
	{name: "abandoning what is held makes it run", groups: []string{"abandon"}, after: at(StepAbandon, func(t *touch) {
		if t.old.State == idem.StateUnknown && t.row.Owner != t.old.Owner {
			t.row.State = idem.StateRunning
		}
	})},
	{name: "abandoning keeps the owner", groups: []string{"abandon"}, after: at(StepAbandon, func(t *touch) { t.row.Owner = t.old.Owner })},
	{name: "abandoning keeps the lease", groups: []string{"abandon"}, after: at(StepAbandon, func(t *touch) {
		t.row.leaseUntil = t.old.leaseUntil
	})},
	{name: "abandoning always counts", groups: []string{"abandon", "take over"}, after: at(StepAbandon, func(t *touch) {
		t.row.Lapses = t.old.Lapses + 1
	})},
	{name: "abandoning never counts", groups: []string{"abandon", "take over"}, after: at(StepAbandon, func(t *touch) {
		t.row.Lapses = t.old.Lapses
	})},
	{name: "abandoning never holds", groups: []string{"abandon"}, after: at(StepAbandon, func(t *touch) { t.row.State = t.old.State })},
	{name: "what was never started is kept", groups: []string{"abandon"}, after: at(StepAbandon, func(t *touch) { t.row.keep = t.old.keep })},
	{name: "abandoning leaves no mark", groups: []string{"abandon"}, after: at(StepAbandon, func(t *touch) { t.row.Abandoned = false })},
	{name: "anybody abandons a row", groups: []string{"abandon"}, before: at(StepAbandon, func(t *touch) { t.row.Owner = t.owner })},
	{name: "abandoning again counts again", groups: []string{"abandon"}, after: at(StepAbandon, func(t *touch) {
		if t.old.Abandoned || t.old.State == idem.StateUnknown {
			t.row.Lapses++
		}
	})},
	{name: "what has lapsed is not abandoned", groups: []string{"abandon"}, before: at(StepAbandon, func(t *touch) {
		if t.row.lapsed(t.s.now()) {
			t.row.Owner = newOwner()
		}
	})},
}

var manyDefects = []defect{
	{name: "anybody renews a lease", groups: []string{"renew", "abandon", "take over"}, before: at(StepRenew, func(t *touch) {
		t.row.Owner = t.owner
	})},
	{name: "a lapsed lease is not renewed", groups: []string{"renew", "take over", "hold", "sweep"}, before: at(StepRenew, func(t *touch) {
		if t.row.lapsed(t.s.now()) {
			t.row.Owner = newOwner()
		}
	})},
	{name: "a held row is not renewed", groups: []string{"renew"}, before: at(StepRenew, func(t *touch) {
		if t.row.State == idem.StateUnknown {
			t.row.Owner = newOwner()
		}
	})},
	{name: "an outcome is renewed", groups: []string{"renew"}, before: at(StepRenew, func(t *touch) { t.row.State = idem.StateRunning })},
	{name: "a renewal is a claim anew", groups: []string{"renew"}, after: won(StepRenew, func(t *touch) { t.row.ClaimedAt = t.s.now() })},
	{name: "a renewal does not know its lease", groups: []string{"renew"}, after: won(StepRenew, func(t *touch) {
		t.row.leaseUntil = t.s.now().Add(lease)
	})},
	{name: "renewals are answered in another order", groups: []string{"renew"}, after: func(t *touch) {
		if len(t.renewed) > 4 {
			slices.Sort(t.renewed)
		}
	}},
	{name: "only the first lease of a row is renewed", groups: []string{"renew"}, after: func(t *touch) {
		if len(t.renewed) == 4 {
			t.renewed[2] = idem.RenewalLost
		}
	}},
	{name: "no answer at all is missing", groups: []string{"renew", "read"}, around: func(s *Store) idem.Store { return eager{s} }},
	{name: "rows are read in another order", groups: []string{"read"}, after: func(t *touch) { slices.Reverse(t.read) }},
	{name: "absent rows are left out", groups: []string{"read"}, after: func(t *touch) {
		t.read = slices.DeleteFunc(t.read, func(r idem.Row) bool { return r.State == idem.StateAbsent })
	}},
	{name: "a row that is asked for twice comes once", groups: []string{"read"}, after: func(t *touch) {
		if len(t.read) == 4 {
			t.read[2] = idem.Row{ID: t.read[2].ID}
		}
	}},
	{name: "only a hundred rows are read", groups: []string{"read"}, after: func(t *touch) { t.read = t.read[:min(100, len(t.read))] }},
	{name: "a read takes the row", groups: []string{"read"}, after: at(StepRead, func(t *touch) { t.row.Owner = newOwner() })},
	{name: "the grace is forgotten", groups: []string{"sweep"}, before: func(t *touch) { t.sweep.Grace = 0 }},
	{name: "a sweep waits ever longer", groups: []string{"sweep", "locks"}, before: func(t *touch) { t.sweep.Grace += 2 * time.Minute }},
	{name: "a sweep deletes what is running", groups: []string{"sweep"}, before: eachRow(StepSweep, func(t *touch, r *row) {
		delete(t.s.rows, r.ID)
	})},
	{name: "a sweep leaves what is running", groups: []string{"sweep"}, before: eachRow(StepSweep, func(t *touch, r *row) {
		if r.State == idem.StateRunning {
			r.keep = 0
		}
	})},
	{name: "a sweep deletes everything at once", groups: []string{"sweep"}, before: func(t *touch) { t.sweep.Limit = 1000 }},
	{name: "a sweep ends after its first step", groups: []string{"sweep"}, after: func(t *touch) {
		if t.swept != nil {
			t.swept.Next = 0
		}
	}},
	{name: "a sweep begins again and again", groups: []string{"sweep"}, after: func(t *touch) {
		if t.swept != nil {
			t.swept.Next = max(1, t.sweep.From)
		}
	}},
	{name: "a sweep counts what it finds, not what it deletes", groups: []string{"sweep"}, after: func(t *touch) {
		if t.swept != nil {
			t.swept.Deleted++
		}
	}},
}

// eager is a store that fails when it has nothing to do.
type eager struct{ *Store }

func (s eager) Renew(ctx context.Context, leases []idem.Lease) ([]idem.Renewal, error) {
	if len(leases) == 0 {
		return nil, refused("no leases")
	}
	return s.Store.Renew(ctx, leases)
}

func (s eager) Read(ctx context.Context, ids []idem.ID) ([]idem.Row, error) {
	if len(ids) == 0 {
		return nil, refused("no ids")
	}
	return s.Store.Read(ctx, ids)
}
