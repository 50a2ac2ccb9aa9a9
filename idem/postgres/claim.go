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
	return s.changeAndRead(ctx, c.ID, func(ctx context.Context, q db.DBTX) error {
		_, err := s.db.Claim(ctx, q, db.ClaimParams{
			ID: uuid(c.ID), Owner: uuid(c.Owner), LeaseUs: micros(c.Lease), KeepUs: keep(c.Keep), Fingerprint: c.Fingerprint,
			Operation: c.Ref.Operation, Scope: c.Ref.Scope, Key: s.key(c), Origin: text(c.Origin),
		})
		return err
	})
}

// TakeOver gives a lapsed row to c's owner. See idem.Store.
func (s *Store) TakeOver(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	if err := checkClaim(c); err != nil {
		return idem.Row{}, err
	}
	return s.changeAndRead(ctx, c.ID, s.db.WaitBriefly, func(ctx context.Context, q db.DBTX) error {
		_, err := s.db.TakeOver(ctx, q, db.TakeOverParams{
			ID: uuid(c.ID), Seen: uuid(seen), Owner: uuid(c.Owner), LeaseUs: micros(c.Lease), KeepUs: keep(c.Keep), Origin: text(c.Origin),
		})
		return err
	})
}

// Reclaim starts an expired row over again for c's owner. See idem.Store.
func (s *Store) Reclaim(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	if err := checkClaim(c); err != nil {
		return idem.Row{}, err
	}
	return s.changeAndRead(ctx, c.ID, s.db.WaitBriefly, func(ctx context.Context, q db.DBTX) error {
		_, err := s.db.Reclaim(ctx, q, db.ReclaimParams{
			ID: uuid(c.ID), Seen: uuid(seen), Owner: uuid(c.Owner), LeaseUs: micros(c.Lease), KeepUs: keep(c.Keep),
			Fingerprint: c.Fingerprint, Key: s.key(c), Origin: text(c.Origin),
		})
		return err
	})
}

// HoldLapsed moves a lapsed row to unknown. See idem.Store.
func (s *Store) HoldLapsed(ctx context.Context, id idem.ID, seen idem.Owner) (idem.Row, error) {
	return s.changeAndRead(ctx, id, s.db.WaitBriefly, func(ctx context.Context, q db.DBTX) error {
		_, err := s.db.HoldLapsed(ctx, q, db.HoldLapsedParams{ID: uuid(id), Seen: uuid(seen)})
		return err
	})
}

// changeAndRead makes a change, which may concern no row, and returns the row as it is then.
func (s *Store) changeAndRead(ctx context.Context, id idem.ID, change ...query) (row idem.Row, err error) {
	err = s.transact(ctx, append(change, s.readInto(&row, id))...)
	return row, err
}
