// Command payments is the service of examples/payments with its claims in a SQLite file. It stands in this module, so that the driver that
// it chose is nobody else's.
//
//	DATABASE_URL=file:claims.db payments -network http://127.0.0.1:9000
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	_ "modernc.org/sqlite" // the driver

	"github.com/idemgen/idemgen/examples/payments"
	"github.com/idemgen/idemgen/idem/sqlite"
)

func main() { payments.Main(open) }

func open(_ context.Context, url string) (payments.Database, error) {
	claims, err := sql.Open("sqlite", url)
	if err != nil {
		return payments.Database{}, err
	}
	// what is seen by hand waits for other writers as SQLite does; the store has its own way
	seenByHand, err := sql.Open("sqlite", url+"?_pragma=busy_timeout(10000)")
	if err != nil {
		return payments.Database{}, err
	}
	migrate := func(ctx context.Context) error {
		if err := sqlite.Migrate(ctx, claims); err != nil {
			return err
		}
		_, err := seenByHand.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS seen_by_hand (key TEXT PRIMARY KEY, receipt TEXT NOT NULL) STRICT`)
		return err
	}
	closeBoth := func() {
		_ = seenByHand.Close()
		_ = claims.Close()
	}
	return payments.Database{Store: sqlite.NewStore(claims), Seen: seen{seenByHand}, Migrate: migrate, Close: closeBoth}, nil
}

// seen is what check-then-act remembers.
type seen struct{ db *sql.DB }

func (s seen) Recall(ctx context.Context, key string) (receipt payments.Receipt, ok bool, err error) {
	var stored []byte
	err = s.db.QueryRowContext(ctx, `SELECT receipt FROM seen_by_hand WHERE key = ?`, key).Scan(&stored)
	if errors.Is(err, sql.ErrNoRows) {
		return receipt, false, nil
	}
	if err == nil {
		err = json.Unmarshal(stored, &receipt)
	}
	return receipt, err == nil, err
}

func (s seen) Remember(ctx context.Context, key string, receipt payments.Receipt) error {
	stored, err := json.Marshal(receipt)
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `INSERT INTO seen_by_hand (key, receipt) VALUES (?, ?) ON CONFLICT DO NOTHING`, key, string(stored))
	return err
}
