package postgres

import (
	"context"
	"math"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres/internal/db"
)

// This file deletes what has expired. A batch starts at a page of the table, and its Next is the page after.

// rowsAPage is about how many rows stand in a page: it is filled to a half, and a row with a small result takes 250 bytes.
const rowsAPage = 16

// lastPage is past the end of the largest table there can be.
const lastPage = math.MaxUint32

// Sweep deletes expired rows of the next pages. See idem.Store.
func (s *Store) Sweep(ctx context.Context, b idem.SweepBatch) (idem.SweepResult, error) {
	from := min(max(0, b.From), lastPage)
	to := min(from+int64(max(1, b.Limit/rowsAPage)), lastPage)
	var deleted, pages int64
	err := s.transact(
		ctx,
		s.db.PlanByRow,
		func(ctx context.Context, q db.DBTX) (err error) {
			deleted, err = s.db.Sweep(ctx, q, db.SweepParams{FromPage: from, ToPage: to, GraceUs: micros(max(0, b.Grace))})
			return err
		},
		func(ctx context.Context, q db.DBTX) (err error) {
			pages, err = s.db.Pages(ctx, q)
			return err
		},
	)
	if err != nil {
		return idem.SweepResult{}, err
	}
	r := idem.SweepResult{Deleted: int(deleted), Next: to}
	if to >= pages {
		r.Next = 0
	}
	return r, nil
}
