package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/sqlite/internal/db"
)

// This file reads rows.

// most is how many ids one statement asks for; SQLite knows a limit for parameters.
const most = 500

// Read reads rows in the order of ids. See idem.Store.
func (s *Store) Read(ctx context.Context, ids []idem.ID) ([]idem.Row, error) {
	rows := make([]idem.Row, len(ids))
	if len(ids) == 0 {
		return rows, nil
	}
	byID := make(map[idem.ID]idem.Row, len(ids))
	err := s.read(ctx, func(ctx context.Context, q *db.Queries) error {
		for some := range slices.Chunk(ids, most) {
			asked := make([][]byte, len(some))
			for i := range some {
				asked[i] = some[i][:]
			}
			found, err := q.ReadMany(ctx, asked)
			if err != nil {
				return err
			}
			for _, r := range found {
				byID[idem.ID(r.ID)] = row(db.ReadRow(r))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		rows[i] = byID[id]
		rows[i].ID = id
	}
	return rows, nil
}

// readInto reads one row into to.
func (s *Store) readInto(to *idem.Row, id idem.ID) step {
	return func(ctx context.Context, q *db.Queries) error {
		r, err := q.Read(ctx, id[:])
		if errors.Is(err, sql.ErrNoRows) {
			*to = idem.Row{ID: id}
			return nil
		}
		if err != nil {
			return err
		}
		*to = row(r)
		return nil
	}
}

// row is r as the engine knows it. The lengths of id and owner are the table's to promise.
func row(r db.ReadRow) idem.Row {
	return idem.Row{
		ID: idem.ID(r.ID), Ref: idem.Ref{Operation: r.Operation, Scope: r.Scope, Key: r.Key.String},
		State: idem.State(r.State), Owner: idem.Owner(r.Owner), Attempt: int(r.Attempt), Lapses: int(r.Lapses), Fence: r.Fence,
		Fingerprint: r.Fingerprint, Abandoned: r.Abandoned != 0, Lapsed: r.Lapsed != 0, Expired: r.Expired != 0,
		LeaseLeft: time.Duration(r.LeaseLeft) * time.Microsecond,
		ClaimedAt: time.UnixMicro(r.ClaimedAt).UTC(), CompletedAt: instant(r.CompletedAt), ExpiresAt: instant(r.ExpiresAt),
		Codec: r.Codec.String, Schema: r.SchemaHash, Result: r.Result, Code: r.ErrorCode.String, Origin: r.Origin.String,
	}
}
