package scenarios

import (
	"context"
	"errors"
	"net"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// TestD9 is about the method's own database work: its commit was carried out, and the answer lost. What the driver returns then
// is no context error, no timeout and no EOF, and must not be taken for "nothing happened".
func TestD9_ALostCommitOfTheMethodsOwnIsNoProofOfNoEffect(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if _, err := s.pool.Exec(t.Context(), "CREATE TABLE orders (id text)"); err != nil {
		t.Fatal(err)
	}
	var cut *idemtest.Cut
	own := pgtest.PoolOf(t, s.dsn, func(c *pgxpool.Config) {
		_, server := pgconn.NetworkAddress(c.ConnConfig.Host, c.ConnConfig.Port)
		cut = idemtest.NewCut(t, server)
		host, port, _ := net.SplitHostPort(cut.Addr())
		number, _ := strconv.Atoi(port)
		c.ConnConfig.Host, c.ConnConfig.Port, c.ConnConfig.Fallbacks = host, uint16(number), nil
	})
	lost := cut.Inject("commit", idemtest.Fault{Do: idemtest.LoseAnswer})
	s.method = func(ctx context.Context, _ int64) (string, error) {
		return "placed", pgx.BeginFunc(ctx, own, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "INSERT INTO orders VALUES ('one')")
			return err
		})
	}
	_, err := s.call(t.Context(), &charge, "k", "a")
	if err == nil || lost.Hits() != 1 || errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, %d answers lost", err, lost.Hits())
	}
	var rows int
	if err := s.pool.QueryRow(t.Context(), "SELECT count(*) FROM orders").Scan(&rows); err != nil || rows != 1 {
		t.Fatalf("%d orders, %v: the commit was not carried out, and the test shows nothing", rows, err)
	}
	if r := s.charged("k"); !r.Abandoned {
		t.Errorf("after %v the row is %+v", err, r)
	}
}
