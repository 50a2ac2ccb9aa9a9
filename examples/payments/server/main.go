// Command server is the payment service with its claims in Postgres.
//
//	DATABASE_URL=postgres://… server -network http://127.0.0.1:9000
package main

import (
	"context"
	"errors"

	"github.com/idemgen/idemgen/examples/payments"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func main() { payments.Main(open) }

func open(ctx context.Context, url string) (payments.Database, error) {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return payments.Database{}, err
	}
	migrate := func(ctx context.Context) error {
		if err := postgres.Migrate(ctx, pool); err != nil {
			return err
		}
		_, err := pool.Exec(ctx, `CREATE TABLE IF NOT EXISTS seen_by_hand (key text PRIMARY KEY, receipt jsonb NOT NULL)`)
		return err
	}
	return payments.Database{Store: postgres.NewStore(pool), Seen: seen{pool}, Migrate: migrate, Close: pool.Close}, nil
}

// seen is what check-then-act remembers.
type seen struct{ pool *pgxpool.Pool }

func (s seen) Recall(ctx context.Context, key string) (receipt payments.Receipt, ok bool, err error) {
	err = s.pool.QueryRow(ctx, `SELECT receipt FROM seen_by_hand WHERE key = $1`, key).Scan(&receipt)
	if errors.Is(err, pgx.ErrNoRows) {
		return receipt, false, nil
	}
	return receipt, err == nil, err
}

func (s seen) Remember(ctx context.Context, key string, receipt payments.Receipt) error {
	_, err := s.pool.Exec(ctx, `INSERT INTO seen_by_hand (key, receipt) VALUES ($1, $2) ON CONFLICT DO NOTHING`, key, receipt)
	return err
}
