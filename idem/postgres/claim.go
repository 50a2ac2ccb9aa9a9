package postgres

import (
	"context"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres/internal/db"
)

// This file is the steps that get a row. Each is a change that may find somebody was faster, and a read that says who has
// the row now, in one round trip.

// Claim inserts a running row unless one is there. See idem.Store.
func (s *Store) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	if err := checkClaim(c); err != nil {
		return idem.Row{}, err
	}
	for range maxHidden {
		row, err := s.get(ctx, c, s.claiming(c))
		if err != nil || row.State != idem.StateAbsent || !s.hidden(ctx) {
			return row, err
		}
	}
	return idem.Row{}, hiddenRow(false)
}

func (s *Store) claiming(c idem.Claim) change {
	return func(ctx context.Context, q db.DBTX) (int64, error) {
		return s.db.Claim(ctx, q, db.ClaimParams{
			ID: uuid(c.ID), Owner: uuid(c.Owner), LeaseUs: micros(c.Lease), KeepUs: keep(c.Keep), Fingerprint: c.Fingerprint,
			Operation: c.Ref.Operation, Scope: c.Ref.Scope, Key: s.key(c), Origin: text(c.Origin),
		})
	}
}

// TakeOver gives a lapsed row to c's owner. See idem.Store.
func (s *Store) TakeOver(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	if err := checkClaim(c); err != nil {
		return idem.Row{}, err
	}
	return s.get(ctx, c, s.takingOver(c, seen), s.db.WaitBriefly)
}

func (s *Store) takingOver(c idem.Claim, seen idem.Owner) change {
	return func(ctx context.Context, q db.DBTX) (int64, error) {
		return s.db.TakeOver(ctx, q, db.TakeOverParams{
			ID: uuid(c.ID), Seen: uuid(seen), Owner: uuid(c.Owner), LeaseUs: micros(c.Lease), KeepUs: keep(c.Keep), Origin: text(c.Origin),
		})
	}
}

// Reclaim starts an expired row over again for c's owner. See idem.Store.
func (s *Store) Reclaim(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	if err := checkClaim(c); err != nil {
		return idem.Row{}, err
	}
	return s.get(ctx, c, s.reclaiming(c, seen), s.db.WaitBriefly)
}

func (s *Store) reclaiming(c idem.Claim, seen idem.Owner) change {
	return func(ctx context.Context, q db.DBTX) (int64, error) {
		return s.db.Reclaim(ctx, q, db.ReclaimParams{
			ID: uuid(c.ID), Seen: uuid(seen), Owner: uuid(c.Owner), LeaseUs: micros(c.Lease), KeepUs: keep(c.Keep),
			Fingerprint: c.Fingerprint, Key: s.key(c), Origin: text(c.Origin),
		})
	}
}

// HoldLapsed moves a lapsed row to unknown. See idem.Store.
func (s *Store) HoldLapsed(ctx context.Context, id idem.ID, seen idem.Owner) (idem.Row, error) {
	return s.changeAndRead(ctx, id, s.db.WaitBriefly, func(ctx context.Context, q db.DBTX) error {
		_, err := s.db.HoldLapsed(ctx, q, db.HoldLapsedParams{ID: uuid(id), Seen: uuid(seen)})
		return err
	})
}

// change is a query that changes rows, and says how many.
type change func(ctx context.Context, q db.DBTX) (rows int64, err error)

// get tries to get a row for c's owner, and returns the row as it is then.
func (s *Store) get(ctx context.Context, c idem.Claim, how change, settings ...query) (idem.Row, error) {
	var changed int64
	row, err := s.changeAndRead(ctx, c.ID, append(settings, counting(how, &changed))...)
	if err != nil || changed > 0 || row.Owner != c.Owner {
		return row, err
	}
	return s.confirm(ctx, c.ID, c.Owner)
}

// counting is a change as a query.
func counting(c change, rows *int64) query {
	return func(ctx context.Context, q db.DBTX) (err error) {
		*rows, err = c(ctx, q)
		return err
	}
}

// confirm makes sure of a row that an earlier statement of its owner has written, whose answer was lost or was no answer, and
// returns the row as it is then.
func (s *Store) confirm(ctx context.Context, id idem.ID, owner idem.Owner) (idem.Row, error) {
	return s.changeAndRead(ctx, id, s.db.WaitBriefly, func(ctx context.Context, q db.DBTX) error {
		_, err := s.db.Confirm(ctx, q, db.ConfirmParams{ID: uuid(id), Owner: uuid(owner)})
		return err
	})
}

// changeAndRead makes a change, which may concern no row, and returns the row as it is then.
func (s *Store) changeAndRead(ctx context.Context, id idem.ID, change ...query) (row idem.Row, err error) {
	err = s.transact(ctx, append(change, s.readInto(&row, id))...)
	return row, err
}
