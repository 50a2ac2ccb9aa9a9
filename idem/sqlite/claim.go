package sqlite

import (
	"context"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/sqlite/internal/db"
)

// This file is the steps that get a row. Each is a change that may find somebody was faster, and a read that says who has
// the row now, in one transaction.

// Claim inserts a running row unless one is there. See idem.Store. It looks first, so that a claim of a row that is there neither waits for
// a writer nor writes.
func (s *Store) Claim(ctx context.Context, c idem.Claim) (row idem.Row, err error) {
	if err := checkClaim(c); err != nil {
		return idem.Row{}, err
	}
	err = s.read(ctx, s.readInto(&row, c.ID))
	if err != nil || row.State != idem.StateAbsent && row.Owner != c.Owner {
		return row, err
	}
	row, err = s.get(ctx, c, func(ctx context.Context, q *db.Queries) (int64, error) {
		return q.Claim(ctx, db.ClaimParams{
			ID: c.ID[:], Owner: c.Owner[:], Lease: micros(c.Lease), Keep: keep(c.Keep), Fingerprint: c.Fingerprint,
			Operation: c.Ref.Operation, Scope: c.Ref.Scope, Key: s.key(c), Origin: text(c.Origin),
		})
	})
	if err == nil && row.State == idem.StateAbsent { // nobody else can write meanwhile
		return row, schemaFailure("the table idem_fence is empty", nil)
	}
	return row, err
}

// TakeOver gives a lapsed row to c's owner. See idem.Store.
func (s *Store) TakeOver(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	if err := checkClaim(c); err != nil {
		return idem.Row{}, err
	}
	return s.get(ctx, c, func(ctx context.Context, q *db.Queries) (int64, error) {
		return q.TakeOver(ctx, db.TakeOverParams{
			ID: c.ID[:], Seen: seen[:], Owner: c.Owner[:], Lease: micros(c.Lease), Keep: keep(c.Keep), Origin: text(c.Origin),
		})
	})
}

// Reclaim starts an expired row over again for c's owner. See idem.Store.
func (s *Store) Reclaim(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	if err := checkClaim(c); err != nil {
		return idem.Row{}, err
	}
	return s.get(ctx, c, func(ctx context.Context, q *db.Queries) (int64, error) {
		return q.Reclaim(ctx, db.ReclaimParams{
			ID: c.ID[:], Seen: seen[:], Owner: c.Owner[:], Lease: micros(c.Lease), Keep: keep(c.Keep),
			Fingerprint: c.Fingerprint, Key: s.key(c), Origin: text(c.Origin),
		})
	})
}

// HoldLapsed moves a lapsed row to unknown. See idem.Store.
func (s *Store) HoldLapsed(ctx context.Context, id idem.ID, seen idem.Owner) (row idem.Row, err error) {
	err = s.write(ctx, func(ctx context.Context, q *db.Queries) error {
		if _, err := q.HoldLapsed(ctx, db.HoldLapsedParams{ID: id[:], Seen: seen[:]}); err != nil {
			return err
		}
		return s.readInto(&row, id)(ctx, q)
	})
	return row, err
}

// change is a query that changes rows, and says how many.
type change func(ctx context.Context, q *db.Queries) (rows int64, err error)

// get tries to get a row for c's owner, and returns the row as it is then. Where it changed nothing, the row may be that owner's
// already, by a step whose answer was lost: then it is written anew.
func (s *Store) get(ctx context.Context, c idem.Claim, how change) (row idem.Row, err error) {
	err = s.write(ctx, func(ctx context.Context, q *db.Queries) error {
		changed, err := how(ctx, q)
		switch {
		case err != nil:
			return err
		case changed > 0:
			err = q.NextFence(ctx)
		default:
			_, err = q.Confirm(ctx, db.ConfirmParams{ID: c.ID[:], Owner: c.Owner[:]})
		}
		if err != nil {
			return err
		}
		return s.readInto(&row, c.ID)(ctx, q)
	})
	return row, err
}
