package idemtest

import (
	"bytes"
	"context"

	"github.com/idemgen/idemgen/idem"
)

// This file is the steps that win a row: claim, take over, reclaim; and the one that gives it up for good, hold.

// Claim is documented at idem.Store.
func (s *Store) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	c.Fingerprint = bytes.Clone(c.Fingerprint)
	return do(ctx, s, StepClaim, []idem.ID{c.ID}, func() (idem.Row, error) {
		if err := checkClaim(c); err != nil {
			return idem.Row{}, err
		}
		if _, ok := s.rows[c.ID]; !ok {
			s.start(s.insert(c), c)
		}
		return s.view(c.ID), nil
	})
}

// TakeOver is documented at idem.Store.
func (s *Store) TakeOver(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	return do(ctx, s, StepTakeOver, []idem.ID{c.ID}, func() (idem.Row, error) {
		if err := checkClaim(c); err != nil {
			return idem.Row{}, err
		}
		if r, ok := s.rows[c.ID]; ok && r.Owner == seen && r.lapsed(s.now()) {
			if !r.Abandoned {
				r.Lapses++
			}
			r.Attempt++
			s.own(r, c)
		}
		return s.view(c.ID), nil
	})
}

// Reclaim is documented at idem.Store.
func (s *Store) Reclaim(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	c.Fingerprint = bytes.Clone(c.Fingerprint)
	return do(ctx, s, StepReclaim, []idem.ID{c.ID}, func() (idem.Row, error) {
		if err := checkClaim(c); err != nil {
			return idem.Row{}, err
		}
		if r, ok := s.rows[c.ID]; ok && r.Owner == seen && r.expired(s.now(), 0) {
			s.start(r, c)
		}
		return s.view(c.ID), nil
	})
}

// HoldLapsed is documented at idem.Store.
func (s *Store) HoldLapsed(ctx context.Context, id idem.ID, seen idem.Owner) (idem.Row, error) {
	return do(ctx, s, StepHoldLapsed, []idem.ID{id}, func() (idem.Row, error) {
		if r, ok := s.rows[id]; ok && r.Owner == seen && r.lapsed(s.now()) {
			r.State, r.Abandoned = idem.StateUnknown, false
		}
		return s.view(id), nil
	})
}

// insert adds an empty row for c.
func (s *Store) insert(c idem.Claim) *row {
	s.rowSeq++
	r := &row{seq: s.rowSeq}
	r.ID, r.Ref = c.ID, c.Ref
	s.rows[c.ID] = r
	return r
}

// start makes r a first attempt of c, whatever it was before.
func (s *Store) start(r *row, c idem.Claim) {
	r.Row = idem.Row{ID: r.ID, Ref: r.Ref, State: idem.StateRunning, Attempt: 1, Fingerprint: c.Fingerprint}
	s.own(r, c)
}

// own gives the running row to c's owner.
func (s *Store) own(r *row, c idem.Claim) {
	s.fence++
	r.Owner, r.Fence, r.Abandoned, r.Origin = c.Owner, s.fence, false, c.Origin
	r.ClaimedAt = s.now()
	r.leaseUntil, r.keep = r.ClaimedAt.Add(c.Lease), c.Keep
}
