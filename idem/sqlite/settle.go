package sqlite

import (
	"context"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/sqlite/internal/db"
)

// This file is the steps that end a run. They compare the owner, and do not test the lease: an owner who is late and was not
// replaced has a true result.

// Complete stores an outcome. See idem.Store. Sent again, it finds what it did, and leaves that as it is.
func (s *Store) Complete(ctx context.Context, o idem.Outcome) (row idem.Row, err error) {
	if err := checkOutcome(o); err != nil {
		return idem.Row{}, err
	}
	c := o.Claim
	err = s.write(ctx, func(ctx context.Context, q *db.Queries) error {
		changed, err := q.Complete(ctx, db.CompleteParams{
			ID: c.ID[:], Owner: c.Owner[:], State: int64(o.State), Ttl: ttl(o.TTL),
			Codec: text(o.Codec), SchemaHash: notNull(o.Schema), ErrorCode: text(o.Code), Result: notNull(o.Result),
		})
		if err == nil && changed == 0 {
			changed, err = s.insertCompleted(ctx, q, o)
		}
		if err == nil && changed == 0 {
			_, err = q.Confirm(ctx, db.ConfirmParams{ID: c.ID[:], Owner: c.Owner[:]})
		}
		if err != nil {
			return err
		}
		return s.readInto(&row, c.ID)(ctx, q)
	})
	return row, err
}

// insertCompleted inserts the outcome of a run whose row is gone.
func (s *Store) insertCompleted(ctx context.Context, q *db.Queries, o idem.Outcome) (int64, error) {
	c := o.Claim
	return q.InsertCompleted(ctx, db.InsertCompletedParams{
		ID: c.ID[:], Owner: c.Owner[:], Fence: o.Fence, Attempt: int64(o.Attempt), State: int64(o.State), Ttl: ttl(o.TTL),
		Fingerprint: c.Fingerprint, Operation: c.Ref.Operation, Scope: c.Ref.Scope, Key: s.key(c), Origin: text(c.Origin),
		Codec: text(o.Codec), SchemaHash: notNull(o.Schema), ErrorCode: text(o.Code), Result: notNull(o.Result),
	})
}

// Release deletes a running row of owner. See idem.Store.
func (s *Store) Release(ctx context.Context, id idem.ID, owner idem.Owner) (changed bool, err error) {
	err = s.write(ctx, func(ctx context.Context, q *db.Queries) error {
		n, err := q.Release(ctx, db.ReleaseParams{ID: id[:], Owner: owner[:]})
		changed = n > 0
		return err
	})
	return changed && err == nil, err
}

// Abandon ends the lease of a running row of a.Owner. Sent again, it finds what it did: the row is a.Next's. See
// idem.Store.
func (s *Store) Abandon(ctx context.Context, a idem.Abandonment) (changed bool, err error) {
	err = s.write(ctx, func(ctx context.Context, q *db.Queries) (err error) {
		n, err := q.Abandon(ctx, db.AbandonParams{
			ID: a.ID[:], Owner: a.Owner[:], Next: a.Next[:], Lapse: number(a.Lapse), Hold: number(a.Hold), Expire: number(a.Expire),
		})
		if err == nil && n == 0 {
			_, err = q.Confirm(ctx, db.ConfirmParams{ID: a.ID[:], Owner: a.Next[:]})
		}
		if err == nil {
			changed, err = q.Owned(ctx, db.OwnedParams{ID: a.ID[:], Owner: a.Next[:]})
		}
		return err
	})
	return changed && err == nil, err
}
