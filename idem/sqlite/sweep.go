package sqlite

import (
	"context"
	"errors"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/sqlite/internal/db"
)

// This file deletes what has expired. A batch is so many rows in the order of seq, and its Next is the seq after the last.

// sweepTurn is how long a sweep waits for its turn to write. Then it goes on without: what has expired can wait for the next one.
const sweepTurn = 100 * time.Millisecond

// Sweep deletes the expired ones of the next rows. See idem.Store.
func (s *Store) Sweep(ctx context.Context, b idem.SweepBatch) (idem.SweepResult, error) {
	limit, grace := int64(max(1, b.Limit)), micros(max(0, b.Grace))
	var page db.SweepPageRow
	err := s.read(ctx, func(ctx context.Context, q *db.Queries) (err error) {
		page, err = q.SweepPage(ctx, db.SweepPageParams{First: b.From, Most: limit, Grace: grace})
		return err
	})
	if err != nil {
		return idem.SweepResult{}, err
	}
	var r idem.SweepResult
	if page.Looked == limit {
		r.Next = page.Upto + 1
	}
	if page.Expired == 0 {
		return r, nil
	}
	var deleted int64
	err = s.writeWithin(ctx, sweepTurn, func(ctx context.Context, q *db.Queries) (err error) {
		deleted, err = q.Sweep(ctx, db.SweepParams{First: b.From, Upto: page.Upto, Grace: grace})
		return err
	})
	switch {
	case err == nil:
		r.Deleted = int(deleted)
	case ctx.Err() != nil || !errors.Is(err, errLocked):
		return idem.SweepResult{}, err
	}
	return r, nil
}
