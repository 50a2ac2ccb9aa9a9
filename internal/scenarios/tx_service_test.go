package scenarios

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is an annotated interface whose methods work in transactions, wrapped by the code that idemgen writes.

// books keeps accounts in the claims' own database.
//
//idem:wrap
type books interface {
	//idem:key id
	//idem:tx
	Book(ctx context.Context, id string, cents int64) (int64, error)

	//idem:key id
	//idem:tx join
	BookIn(ctx context.Context, tx pgx.Tx, id string, cents int64) (int64, error)

	//idem:key id
	//idem:tx optimistic
	Try(ctx context.Context, id string, cents int64) (int64, error)
}

// accounts books on one account.
type accounts struct{ booked atomic.Int64 }

func (a *accounts) Book(ctx context.Context, _ string, cents int64) (int64, error) {
	tx, ok := postgres.TxFromContext(ctx)
	if !ok {
		return 0, fmt.Errorf("no transaction")
	}
	return a.BookIn(ctx, tx, "", cents)
}

func (a *accounts) Try(ctx context.Context, id string, cents int64) (int64, error) {
	return a.Book(ctx, id, cents)
}

func (a *accounts) BookIn(ctx context.Context, tx pgx.Tx, _ string, cents int64) (balance int64, err error) {
	a.booked.Add(1)
	err = tx.QueryRow(ctx, "UPDATE accounts SET cents = cents + $1 RETURNING cents", cents).Scan(&balance)
	return balance, err
}

func TestTx_GeneratedWrappersOfAllModes(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.exec("CREATE TABLE accounts (cents bigint)")
	s.exec("INSERT INTO accounts VALUES (0)")
	a := &accounts{}
	b := newIdempotentBooks(a, s.engine)
	ctx := t.Context()
	for _, c := range []struct {
		name string
		book func() (int64, error)
		want int64
	}{
		{"own", func() (int64, error) { return b.Book(ctx, "k", 100) }, 100},
		{"optimistic", func() (int64, error) { return b.Try(ctx, "k", 10) }, 110},
		{"join", func() (balance int64, err error) {
			err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
				balance, err = b.BookIn(ctx, tx, "k", 1)
				return err
			})
			return balance, err
		}, 111},
	} {
		for range 3 {
			if got, err := c.book(); got != c.want || err != nil {
				t.Errorf("%s: %d, %v; want %d", c.name, got, err, c.want)
			}
		}
	}
	if n := a.booked.Load(); n != 3 {
		t.Errorf("booked %d times", n)
	}
	if cents := ask[int64](s, "SELECT cents FROM accounts"); cents != 111 {
		t.Errorf("%d cents", cents)
	}
}
