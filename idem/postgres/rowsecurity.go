package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres/internal/db"
)

// This file is about tables whose rows not every connection sees. A row that is hidden is neither won nor lost: inserting it conflicts, and
// reading it finds nothing. That looks like a row which somebody has just deleted, and must not become a run, nor an endless search.

// ErrRowSecurity says that row-level security on idem_claims keeps a connection from the row of its key: it hides the row, or refuses it. Usually
// a setting that names the tenant is missing, or is another tenant's, on the connections of the pool. It is found with errors.Is in
// the errors of the store and of keyed calls; the method did not run.
var ErrRowSecurity = errors.New("row-level security of idem_claims keeps this connection from the row")

// maxHidden is how often a row has to be neither there nor missing before it is taken to be hidden.
const maxHidden = 3

// hidden reports whether rows may be hidden from the connections of the pool. One that can't say is no reason to fail.
func (s *Store) hidden(ctx context.Context) (active bool) {
	err := s.transact(ctx, func(ctx context.Context, q db.DBTX) (err error) {
		active, err = s.db.RowSecurity(ctx, q)
		return err
	})
	return active && err == nil
}

// hiddenRow is the failure of a step whose row is hidden. Another connection of the pool may have the right settings.
func hiddenRow(temporary bool) error {
	return &idem.StoreError{
		Reason:    "row-level security hides the key's row: is the tenant set on the pool's connections, and is it the right one?",
		Temporary: temporary, Err: ErrRowSecurity,
	}
}

// refusedByPolicy reports whether a row was refused by a policy, and not for want of a privilege: both have one SQLSTATE.
func refusedByPolicy(pg *pgconn.PgError) bool {
	return pg.Code == "42501" && pg.Routine == "ExecWithCheckOptions"
}
