package idemtest

import (
	"cmp"
	"context"
	"slices"

	"github.com/idemgen/idemgen/idem"
)

// This file is the steps that concern many rows: read and sweep; and what the store refuses.

// Read is documented at idem.Store.
func (s *Store) Read(ctx context.Context, ids []idem.ID) ([]idem.Row, error) {
	ids = slices.Clone(ids)
	return do(ctx, s, StepRead, ids, func() ([]idem.Row, error) {
		rows := make([]idem.Row, len(ids))
		for i, id := range ids {
			rows[i] = s.view(id)
		}
		return rows, nil
	})
}

// Sweep is documented at idem.Store. It walks the rows in the order in which they were inserted.
func (s *Store) Sweep(ctx context.Context, b idem.SweepBatch) (idem.SweepResult, error) {
	return do(ctx, s, StepSweep, nil, func() (done idem.SweepResult, err error) {
		if b.Limit < 1 || b.Grace < 0 {
			return done, refused("impossible sweep")
		}
		for i, r := range s.inOrder(b.From) {
			if i == b.Limit {
				done.Next = r.seq
				break
			}
			if r.locked == nil && r.expired(s.now(), b.Grace) {
				delete(s.rows, r.ID)
				done.Deleted++
			}
		}
		return done, nil
	})
}

// inOrder is the rows from one on, in the order in which they were inserted.
func (s *Store) inOrder(from int64) []*row {
	var rows []*row
	for _, r := range s.rows {
		if r.seq >= from {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b *row) int { return cmp.Compare(a.seq, b.seq) })
	return rows
}

// checkClaim refuses what a database's constraints would.
func checkClaim(c idem.Claim) error {
	r := c.Ref
	switch {
	case len(c.Fingerprint) < 1 || len(c.Fingerprint) > 64:
		return refused("impossible fingerprint")
	case len(r.Operation) < 1 || len(r.Operation) > 1024 || len(r.Scope) > 255 || len(r.Key) < 1 || len(r.Key) > 255:
		return refused("impossible operation, scope or key")
	case c.Lease <= 0 || c.Keep < 0:
		return refused("impossible lease or keep")
	}
	return nil
}

// checkOutcome refuses what a database's constraints would.
func checkOutcome(o idem.Outcome) error {
	if err := checkClaim(o.Claim); err != nil {
		return err
	}
	switch {
	case o.State != idem.StateDone && o.State != idem.StateFailed, (o.State == idem.StateFailed) != (o.Code != ""), len(o.Code) > 1024:
		return refused("impossible outcome")
	case len(o.Codec) < 1 || len(o.Codec) > 255:
		return refused("impossible codec name")
	case o.Attempt < 1 || o.TTL <= 0:
		return refused("impossible attempt or ttl")
	}
	return nil
}

func refused(reason string) error {
	return &idem.StoreError{Reason: reason, NotApplied: true}
}
