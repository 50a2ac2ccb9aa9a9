package idemtest

import (
	"slices"

	"github.com/idemgen/idemgen/idem"
)

// This file is the defects that the conformance suite has to find. Most were seen in real stores.

// at makes a hook that spoils one step, when its row is there.
func at(step Step, spoil func(*touch)) func(*touch) {
	return func(t *touch) {
		if t.step == step && t.row != nil {
			spoil(t)
		}
	}
}

// won makes a hook that spoils one step when its caller owns the row after it.
func won(step Step, spoil func(*touch)) func(*touch) {
	return at(step, func(t *touch) {
		if t.row.Owner == t.owner {
			spoil(t)
			if t.answer != nil {
				*t.answer = t.s.view(t.id)
			}
		}
	})
}

// eachRow makes a hook that spoils all rows at one step.
func eachRow(step Step, spoil func(*touch, *row)) func(*touch) {
	return func(t *touch) {
		if t.step == step {
			for _, r := range t.s.rows {
				spoil(t, r)
			}
		}
	}
}

var defects = slices.Concat(claimDefects, takeOverDefects, settleDefects, manyDefects, raceDefects)

var claimDefects = []defect{
	{name: "a claim overwrites what is there", groups: []string{"claim"}, before: at(StepClaim, func(t *touch) { delete(t.s.rows, t.id) })},
	{name: "a claim is not known again by its owner", groups: []string{"claim"}, after: at(StepClaim, func(t *touch) {
		if t.old.Owner == t.owner {
			t.answer.Owner = newOwner()
		}
	})},
	{name: "a loser sees no row", groups: []string{"claim"}, after: at(StepClaim, func(t *touch) {
		if t.row.Owner != t.owner {
			*t.answer = idem.Row{ID: t.id}
		}
	})},
	{name: "a claim takes over what has lapsed", groups: []string{"claim"}, before: at(StepClaim, func(t *touch) {
		if t.row.lapsed(t.s.now()) {
			delete(t.s.rows, t.id)
		}
	})},
	{name: "fences start again when a row is deleted", groups: []string{"claim", "complete"}, before: func(t *touch) {
		if t.step == StepClaim && t.row == nil || t.step == StepReclaim {
			t.s.fence = 0
		}
	}},
	{name: "leases are longer than asked for", groups: []string{"claim", "renew"}, after: won(StepClaim, func(t *touch) {
		t.row.leaseUntil = t.row.leaseUntil.Add(lease)
	})},
	{name: "Keep is forgotten", groups: []string{"claim", "reclaim", "sweep", "renew"}, after: won(StepClaim, func(t *touch) {
		t.row.keep = 0
	})},
	{name: "every running row expires", groups: []string{"claim", "reclaim", "sweep"}, after: won(StepClaim, func(t *touch) {
		t.row.keep = keep
	})},
	{name: "a long operation's name is cut", groups: []string{"claim"}, after: won(StepClaim, func(t *touch) {
		t.row.Ref.Operation = t.row.Ref.Operation[:min(255, len(t.row.Ref.Operation))]
	})},
}

var takeOverDefects = []defect{
	{name: "a take-over does not compare the owner it saw", groups: []string{"take over"}, before: at(StepTakeOver, func(t *touch) {
		t.row.Owner = t.seen
	})},
	{name: "a take-over does not test the lease", groups: []string{"take over"}, before: at(StepTakeOver, func(t *touch) {
		if t.row.Owner == t.seen {
			t.row.leaseUntil = past
		}
	})},
	{name: "a take-over brings its own arguments", groups: []string{"take over", "complete"}, after: won(StepTakeOver, func(t *touch) {
		t.row.Fingerprint = t.claim.Fingerprint
	})},
	{name: "a take-over of an abandoned row counts", groups: []string{"take over"}, before: at(StepTakeOver, func(t *touch) {
		t.row.Abandoned = false
	})},
	{name: "a row stays abandoned when it is taken over", groups: []string{"take over"}, after: won(StepTakeOver, func(t *touch) {
		t.row.Abandoned = true
	})},
	{name: "lapses are not counted", groups: []string{"take over"}, after: won(StepTakeOver, func(t *touch) { t.row.Lapses = 0 })},
	{name: "a take-over sent again counts again", groups: []string{"take over"}, before: at(StepTakeOver, func(t *touch) {
		if t.row.Owner == t.owner {
			t.row.Owner, t.row.leaseUntil = t.seen, past
		}
	})},
	{name: "a take-over keeps the fence", groups: []string{"take over"}, after: won(StepTakeOver, func(t *touch) {
		t.row.Fence = t.old.Fence
	})},
	{name: "a take-over keeps the former Keep", groups: []string{"take over"}, after: won(StepTakeOver, func(t *touch) {
		t.row.keep = t.old.keep
	})},
	{name: "outcomes and held rows are taken over", groups: []string{"take over"}, before: at(StepTakeOver, func(t *touch) {
		if t.row.Owner == t.seen && t.row.leaseUntil.Before(t.s.now()) {
			t.row.State = idem.StateRunning
		}
	})},
	{name: "the former owner settles what was taken over", groups: []string{"take over"}, before: at(StepComplete, func(t *touch) {
		t.row.Owner = t.owner
	})},
	{name: "a hold does not compare the owner it saw", groups: []string{"hold"}, before: at(StepHoldLapsed, func(t *touch) {
		t.row.Owner = t.seen
	})},
	{name: "a hold does not test the lease", groups: []string{"hold"}, before: at(StepHoldLapsed, func(t *touch) {
		if t.row.Owner == t.seen {
			t.row.leaseUntil = past
		}
	})},
	{name: "a hold replaces the owner", groups: []string{"hold", "complete", "renew"}, after: at(StepHoldLapsed, func(t *touch) {
		if t.old.State == idem.StateRunning {
			t.row.Owner = newOwner()
		}
	})},
	{name: "a hold sent again counts an attempt", groups: []string{"hold"}, after: at(StepHoldLapsed, func(t *touch) {
		t.row.Attempt++
	})},
	{name: "a hold leaves abandoned rows alone", groups: []string{"hold"}, before: at(StepHoldLapsed, func(t *touch) {
		if t.row.Abandoned {
			t.row.leaseUntil = t.s.now().Add(lease)
		}
	})},
	{name: "an outcome is held", groups: []string{"hold"}, after: at(StepHoldLapsed, func(t *touch) {
		t.row.State = idem.StateUnknown
		*t.answer = t.s.view(t.id)
	})},
	{name: "a held row expires", groups: []string{"hold"}, after: at(StepHoldLapsed, func(t *touch) {
		t.row.State, t.row.Lapses = idem.StateRunning, 0
	})},
	{name: "a reclaim does not compare the owner it saw", groups: []string{"reclaim"}, before: at(StepReclaim, func(t *touch) {
		t.row.Owner = t.seen
	})},
	{name: "a reclaim does not test the expiry", groups: []string{"reclaim"}, before: at(StepReclaim, func(t *touch) {
		if t.row.Owner == t.seen {
			t.row.State, t.row.ExpiresAt = idem.StateDone, past
		}
	})},
	{name: "a reclaim goes on counting", groups: []string{"reclaim"}, after: won(StepReclaim, func(t *touch) {
		t.row.Attempt, t.row.Lapses = t.old.Attempt+1, t.old.Lapses
	})},
	{name: "a reclaim keeps the arguments", groups: []string{"reclaim"}, after: won(StepReclaim, func(t *touch) {
		t.row.Fingerprint = t.old.Fingerprint
	})},
	{name: "a reclaim keeps the outcome", groups: []string{"reclaim"}, after: won(StepReclaim, func(t *touch) {
		t.row.Result, t.row.Code = t.old.Result, t.old.Code
	})},
	{name: "a reclaim keeps its Keep", groups: []string{"reclaim"}, after: won(StepReclaim, func(t *touch) { t.row.keep = t.old.keep })},
	{name: "a reclaim keeps the row abandoned", groups: []string{"reclaim"}, after: won(StepReclaim, func(t *touch) {
		t.row.Abandoned = t.old.Abandoned
	})},
	{name: "a reclaim sent again is another", groups: []string{"reclaim"}, before: at(StepReclaim, func(t *touch) {
		if t.row.Owner == t.owner {
			t.row.Owner, t.row.State, t.row.ExpiresAt = t.seen, idem.StateDone, past
		}
	})},
	{name: "a take-over or reclaim makes the row that is gone", groups: []string{"take over", "reclaim"}, before: func(t *touch) {
		if t.row == nil && (t.step == StepReclaim || t.step == StepTakeOver) {
			t.s.start(t.s.insert(t.claim), t.claim)
		}
	}},
	{name: "a reclaimed row can't be completed", groups: []string{"reclaim"}, after: won(StepReclaim, func(t *touch) {
		t.row.Owner = t.seen
	})},
}
