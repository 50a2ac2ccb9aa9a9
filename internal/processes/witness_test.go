//go:build unix

package processes

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is the witness in the database: a trigger that writes down each change that says who has a row, or what its
// outcome is, and judges leases by the database's clock at that moment.

// sight is one change that was seen.
type sight struct {
	Key   string
	What  what
	Fence int64 // of the claim that was made, completed or lost
}

// what is the kind of a change.
type what string

// The changes that are seen.
const (
	sawClaim     what = "claim"     // a new row
	sawExpiry    what = "expiry"    // another owner, after the lease was over
	sawRetake    what = "retake"    // another owner, of an abandoned row
	sawAbandon   what = "abandon"   // the run gave its row up
	sawRelease   what = "release"   // the row of a run without effect is gone
	sawOutcome   what = "outcome"   // stored
	sawTheft     what = "theft"     // another owner, within the lease
	sawRewriting what = "rewriting" // of a stored outcome
	sawLoss      what = "loss"      // of a stored outcome
	sawElse      what = "else"      // nothing that happens here
)

const witnessSQL = `
CREATE TABLE witness (n bigserial PRIMARY KEY, key text NOT NULL, what text NOT NULL, fence bigint NOT NULL);

CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	saw text;
BEGIN
	IF TG_OP = 'INSERT' THEN
		saw := CASE NEW.state WHEN 1 THEN 'claim' WHEN 2 THEN 'outcome' ELSE 'else' END;
	ELSIF TG_OP = 'DELETE' THEN
		saw := CASE OLD.state WHEN 1 THEN 'release' WHEN 2 THEN 'loss' ELSE 'else' END;
	ELSIF OLD IS NOT DISTINCT FROM NEW THEN
		RETURN NULL; -- written once more as it is
	ELSIF OLD.state = 2 THEN
		saw := 'rewriting';
	ELSIF OLD.state = 1 AND NEW.state = 2 THEN
		saw := CASE WHEN OLD.owner = NEW.owner THEN 'outcome' ELSE 'theft' END;
	ELSIF OLD.state <> 1 OR NEW.state <> 1 THEN
		saw := 'else';
	ELSIF OLD.owner = NEW.owner THEN
		RETURN NULL; -- renewed
	ELSIF NEW.abandoned THEN
		saw := 'abandon';
	ELSIF OLD.abandoned THEN
		saw := 'retake';
	ELSIF OLD.lease_until <= clock_timestamp() THEN
		saw := 'expiry';
	ELSE
		saw := 'theft';
	END IF;
	INSERT INTO witness (key, what, fence) VALUES (coalesce(OLD.key, NEW.key), saw, coalesce(OLD.fence, NEW.fence));
	RETURN NULL;
END $$;

CREATE TRIGGER see AFTER INSERT OR UPDATE OR DELETE ON idem_claims FOR EACH ROW EXECUTE FUNCTION see();`

func installWitness(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, witnessSQL)
	return err
}

// testimony is all that the witness saw, in order.
func testimony(ctx context.Context, pool *pgxpool.Pool) ([]sight, error) {
	rows, err := pool.Query(ctx, "SELECT key, what, fence FROM witness ORDER BY n")
	if err != nil {
		return nil, fmt.Errorf("the witness: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[sight])
}

// seen is how often the witness saw something so far.
func seen(ctx context.Context, pool *pgxpool.Pool, w what) (n int, err error) {
	err = pool.QueryRow(ctx, "SELECT count(*) FROM witness WHERE what = $1", w).Scan(&n)
	return n, err
}
