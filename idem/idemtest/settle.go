package idemtest

import (
	"bytes"
	"context"

	"github.com/idemgen/idemgen/idem"
)

// This file is the steps of a row's owner: complete, release, abandon, renew.

// Complete is documented at idem.Store.
func (s *Store) Complete(ctx context.Context, o idem.Outcome) (idem.Row, error) {
	o.Claim.Fingerprint = bytes.Clone(o.Claim.Fingerprint)
	o.Schema, o.Result = bytes.Clone(o.Schema), bytes.Clone(o.Result)
	return do(ctx, s, StepComplete, []idem.ID{o.Claim.ID}, func() (idem.Row, error) {
		if err := checkOutcome(o); err != nil {
			return idem.Row{}, err
		}
		r, ok := s.rows[o.Claim.ID]
		switch {
		case !ok:
			r = s.insert(o.Claim)
			r.Owner, r.Attempt, r.Fence, r.Fingerprint, r.Origin = o.Claim.Owner, o.Attempt, o.Fence, o.Claim.Fingerprint, o.Claim.Origin
			r.ClaimedAt = s.now()
			s.complete(r, o)
		case r.Owner == o.Claim.Owner && (r.State == idem.StateRunning || r.State == idem.StateUnknown):
			s.complete(r, o)
		}
		return s.view(o.Claim.ID), nil
	})
}

func (s *Store) complete(r *row, o idem.Outcome) {
	r.State, r.Codec, r.Schema, r.Result, r.Code = o.State, o.Codec, o.Schema, o.Result, o.Code
	r.Abandoned = false
	r.CompletedAt = s.now()
	if o.TTL != idem.Forever {
		r.ExpiresAt = r.CompletedAt.Add(o.TTL)
	}
}

// Release is documented at idem.Store.
func (s *Store) Release(ctx context.Context, id idem.ID, owner idem.Owner) (bool, error) {
	return do(ctx, s, StepRelease, []idem.ID{id}, func() (bool, error) {
		if s.open(id, owner) == nil {
			return false, nil
		}
		delete(s.rows, id)
		return true, nil
	})
}

// Abandon is documented at idem.Store.
func (s *Store) Abandon(ctx context.Context, a idem.Abandonment) (bool, error) {
	return do(ctx, s, StepAbandon, []idem.ID{a.ID}, func() (bool, error) {
		r := s.open(a.ID, a.Owner)
		if r == nil {
			return false, nil
		}
		r.Owner, r.Abandoned, r.leaseUntil = a.Next, r.State == idem.StateRunning, s.now()
		if a.Lapse {
			r.Lapses++
		}
		if a.Expire {
			r.State, r.Abandoned, r.keep = idem.StateRunning, true, atOnce
		}
		if a.Hold {
			r.State, r.Abandoned = idem.StateUnknown, false
		}
		return true, nil
	})
}

// open is the row when it has no outcome and is owner's, else nil.
func (s *Store) open(id idem.ID, owner idem.Owner) *row {
	if r, ok := s.rows[id]; ok && r.Owner == owner && (r.State == idem.StateRunning || r.State == idem.StateUnknown) {
		return r
	}
	return nil
}

// Renew is documented at idem.Store.
func (s *Store) Renew(ctx context.Context, leases []idem.Lease) ([]idem.Renewal, error) {
	leases = append([]idem.Lease(nil), leases...)
	ids := make([]idem.ID, len(leases))
	for i, l := range leases {
		ids[i] = l.ID
	}
	return do(ctx, s, StepRenew, ids, func() ([]idem.Renewal, error) {
		answers := make([]idem.Renewal, len(leases))
		for i, l := range leases {
			answers[i] = s.renew(l)
		}
		return answers, nil
	})
}

func (s *Store) renew(l idem.Lease) idem.Renewal {
	r, ok := s.rows[l.ID]
	switch {
	case !ok:
		return idem.RenewalLost
	case r.locked != nil:
		return idem.RenewalLocked
	case r.Owner != l.Owner || r.State != idem.StateRunning && r.State != idem.StateUnknown:
		return idem.RenewalLost
	}
	r.State, r.leaseUntil = idem.StateRunning, s.now().Add(l.Lease)
	return idem.RenewalDone
}
