package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres/internal/db"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// This file reads rows.

// Read reads rows in the order of ids. See idem.Store.
func (s *Store) Read(ctx context.Context, ids []idem.ID) ([]idem.Row, error) {
	rows := make([]idem.Row, len(ids))
	switch len(ids) {
	case 0:
		return rows, nil
	case 1:
		err := s.transact(ctx, s.readInto(&rows[0], ids[0]))
		return rows, err
	}
	asked := make([]pgtype.UUID, len(ids))
	for i, id := range ids {
		asked[i] = uuid(id)
	}
	var found []db.ReadManyRow
	err := s.transact(ctx, s.db.PlanByRow, func(ctx context.Context, q db.DBTX) (err error) {
		found, err = s.db.ReadMany(ctx, q, asked)
		return err
	})
	if err != nil {
		return nil, err
	}
	byID := make(map[idem.ID]idem.Row, len(found))
	for _, r := range found {
		byID[r.ID.Bytes] = row(db.ReadRow(r))
	}
	for i, id := range ids {
		rows[i] = byID[id]
		rows[i].ID = id
	}
	return rows, nil
}

// readInto reads one row into to.
func (s *Store) readInto(to *idem.Row, id idem.ID) query {
	return func(ctx context.Context, q db.DBTX) error {
		r, err := s.db.Read(ctx, q, uuid(id))
		if errors.Is(err, pgx.ErrNoRows) {
			*to = idem.Row{ID: id}
			return nil
		}
		*to = row(r)
		return err
	}
}

func row(r db.ReadRow) idem.Row {
	return idem.Row{
		ID: r.ID.Bytes, Ref: ref(r.Operation, r.Scope, r.Key), State: idem.State(r.State), Owner: r.Owner.Bytes,
		Attempt: int(r.Attempt), Lapses: int(r.Lapses), Fence: r.Fence, Fingerprint: r.Fingerprint,
		Abandoned: r.Abandoned, Lapsed: r.Lapsed, Expired: r.Expired, LeaseLeft: time.Duration(r.LeaseLeftUs) * time.Microsecond,
		ClaimedAt: instant(r.ClaimedAt), CompletedAt: instant(r.CompletedAt), ExpiresAt: instant(r.ExpiresAt),
		Codec: r.Codec.String, Schema: r.SchemaHash, Result: r.Result, Code: r.ErrorCode.String, Origin: r.Origin.String,
	}
}
