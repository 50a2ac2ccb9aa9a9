package postgres

import (
	"context"
	"errors"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres/internal/db"
	"github.com/jackc/pgx/v5"
)

// This file is the steps that end a run.

// maxRaces is how often Complete looks again when the row changes hands between its statements.
const maxRaces = 8

// Complete stores an outcome in a row of its owner, or inserts it where the row is gone. See idem.Store.
func (s *Store) Complete(ctx context.Context, o idem.Outcome) (idem.Row, error) {
	if err := checkOutcome(o); err != nil {
		return idem.Row{}, err
	}
	for range maxRaces {
		if row, err := s.complete(ctx, o); err != nil || row.State != idem.StateAbsent {
			return row, err
		}
		row, err := s.get(ctx, o.Claim, s.insertCompleted(o))
		unsettled := row.State == idem.StateRunning || row.State == idem.StateUnknown
		if err != nil || row.State != idem.StateAbsent && !(unsettled && row.Owner == o.Claim.Owner) {
			return row, err
		}
	}
	if s.hidden(ctx) {
		return idem.Row{}, hiddenRow(true)
	}
	return idem.Row{}, &idem.StoreError{Reason: "the row kept changing", Temporary: true, NotApplied: true}
}

// complete updates the owner's row, and returns it; an absent row where the owner has none.
func (s *Store) complete(ctx context.Context, o idem.Outcome) (row idem.Row, err error) {
	err = s.transact(ctx, s.completing(o, &row))
	return row, err
}

// completing is the query that stores an outcome in its owner's row, and reads the row.
func (s *Store) completing(o idem.Outcome, to *idem.Row) query {
	c := o.Claim
	return func(ctx context.Context, q db.DBTX) error {
		r, err := s.db.Complete(ctx, q, db.CompleteParams{
			ID: uuid(c.ID), Owner: uuid(c.Owner), State: int16(o.State), TtlUs: ttl(o.TTL),
			Codec: text(o.Codec), SchemaHash: notNull(o.Schema), ErrorCode: text(o.Code), Result: notNull(o.Result),
		})
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return nil
		case err != nil:
			return err
		}
		*to = idem.Row{
			ID: c.ID, Ref: ref(r.Operation, r.Scope, r.Key), State: o.State, Owner: c.Owner,
			Attempt: int(r.Attempt), Lapses: int(r.Lapses), Fence: r.Fence, Fingerprint: r.Fingerprint,
			ClaimedAt: instant(r.ClaimedAt), CompletedAt: instant(r.CompletedAt), ExpiresAt: instant(r.ExpiresAt),
			Codec: o.Codec, Schema: o.Schema, Result: o.Result, Code: o.Code, Origin: r.Origin.String,
		}
		return nil
	}
}

func (s *Store) insertCompleted(o idem.Outcome) change {
	c := o.Claim
	return func(ctx context.Context, q db.DBTX) (int64, error) {
		return s.db.InsertCompleted(ctx, q, db.InsertCompletedParams{
			ID: uuid(c.ID), Owner: uuid(c.Owner), Fence: o.Fence, Attempt: int32(o.Attempt), State: int16(o.State), TtlUs: ttl(o.TTL),
			Fingerprint: c.Fingerprint, Operation: c.Ref.Operation, Scope: c.Ref.Scope, Key: s.key(c), Origin: text(c.Origin),
			Codec: text(o.Codec), SchemaHash: notNull(o.Schema), ErrorCode: text(o.Code), Result: notNull(o.Result),
		})
	}
}

// Release deletes a running row of owner. See idem.Store.
func (s *Store) Release(ctx context.Context, id idem.ID, owner idem.Owner) (changed bool, err error) {
	err = s.transact(ctx, s.releasing(id, owner, &changed))
	return changed && err == nil, err
}

func (s *Store) releasing(id idem.ID, owner idem.Owner, changed *bool) query {
	return func(ctx context.Context, q db.DBTX) error {
		n, err := s.db.Release(ctx, q, db.ReleaseParams{ID: uuid(id), Owner: uuid(owner)})
		*changed = n > 0
		return err
	}
}

// Abandon ends the lease of a running row of a.Owner. Sent again, it finds what it did: the row is a.Next's. See
// idem.Store.
func (s *Store) Abandon(ctx context.Context, a idem.Abandonment) (changed bool, err error) {
	err = s.transact(
		ctx,
		s.abandoning(a),
		func(ctx context.Context, q db.DBTX) (err error) {
			changed, err = s.db.Owned(ctx, q, db.OwnedParams{ID: uuid(a.ID), Owner: uuid(a.Next)})
			return err
		},
	)
	return changed && err == nil, err
}

func (s *Store) abandoning(a idem.Abandonment) query {
	return func(ctx context.Context, q db.DBTX) error {
		_, err := s.db.Abandon(ctx, q, db.AbandonParams{
			ID: uuid(a.ID), Owner: uuid(a.Owner), Next: uuid(a.Next), Lapse: a.Lapse, Hold: a.Hold, Expire: a.Expire,
		})
		return err
	}
}
