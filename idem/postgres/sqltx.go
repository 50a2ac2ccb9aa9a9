package postgres

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"github.com/idemgen/idemgen/idem/postgres/internal/db"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// This file lets the generated queries run in a transaction of database/sql, whatever driver it has: pgx's own, or another one for Postgres. Each
// statement is a round trip there.

// inSQL sends in a transaction of database/sql.
type inSQL struct{ *sql.Tx }

func (t inSQL) send(ctx context.Context, queries ...query) error {
	for _, q := range queries {
		if err := q(ctx, onSQL{t.Tx}); err != nil {
			return err
		}
	}
	return nil
}

func (t inSQL) exec(ctx context.Context, text string) error {
	_, err := t.ExecContext(ctx, text)
	return err
}

// onSQL is such a transaction as the generated queries want one.
type onSQL struct{ tx *sql.Tx }

var _ db.DBTX = onSQL{}

// Exec is db.DBTX's.
func (t onSQL) Exec(ctx context.Context, text string, args ...any) (pgconn.CommandTag, error) {
	result, err := t.tx.ExecContext(ctx, text, args...)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	n, err := result.RowsAffected()
	return pgconn.NewCommandTag("ROWS " + strconv.FormatInt(n, 10)), err
}

// Query is not used by any of the steps.
func (t onSQL) Query(context.Context, string, ...any) (pgx.Rows, error) {
	return nil, errors.New("a query for several rows in a transaction of database/sql")
}

// QueryRow is db.DBTX's.
func (t onSQL) QueryRow(ctx context.Context, text string, args ...any) pgx.Row {
	return sqlRow{t.tx.QueryRowContext(ctx, text, args...)}
}

// sqlRow is one row of database/sql.
type sqlRow struct{ row *sql.Row }

// Scan is pgx.Row's.
func (r sqlRow) Scan(dest ...any) error {
	for i, d := range dest {
		if id, ok := d.(*pgtype.UUID); ok {
			dest[i] = uuidScanner{id}
		}
	}
	err := r.row.Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return pgx.ErrNoRows
	}
	return err
}

// uuidScanner takes a UUID as some drivers give it: as the bytes of its text.
type uuidScanner struct{ to *pgtype.UUID }

// Scan is sql.Scanner's.
func (u uuidScanner) Scan(src any) error {
	if text, ok := src.([]byte); ok {
		src = string(text)
	}
	return u.to.Scan(src)
}
