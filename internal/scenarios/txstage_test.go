package scenarios

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is what the scenarios of transaction modes are played on: a table of effects in the claims' own database, which a method writes in the
// transaction it was handed. Effects and outcomes must always be as many, and of the same keys.

// The statements that only a transaction mode sends.
const (
	sqlBeginEffect   = "-- name: BeginEffect"
	sqlCommitOutcome = "-- name: CommitOutcome"
	sqlReown         = "-- name: Reown "
	sqlInsertSettled = "-- name: InsertSettled "
	sqlEffect        = "INSERT INTO effects"
)

func own(op *idem.Operation[string]) { op.Tx = idem.TxOwn }

func optimistic(op *idem.Operation[string]) { op.Tx = idem.TxOptimistic }

// engineModes are the modes in which the engine opens the transaction.
var engineModes = map[string]func(*idem.Operation[string]){"own": own, "optimistic": optimistic}

// inTx is charge in a transaction mode, with changes.
func inTx(changes ...func(*idem.Operation[string])) *idem.Operation[string] {
	return with(func(op *idem.Operation[string]) {
		for _, change := range changes {
			change(op)
		}
	})
}

// withEffects makes a stage whose method has an effect in its transaction, after what then says, if that is no error.
func withEffects(t testing.TB, opts ...idem.Option) *stage {
	t.Helper()
	return effectsOn(t, pgtest.Database(t), opts...)
}

func effectsOn(t testing.TB, dsn string, opts ...idem.Option) *stage {
	t.Helper()
	s := stageOn(t, dsn, nil, opts...)
	s.exec("CREATE TABLE effects (downstream_key text, run int)")
	s.method = func(ctx context.Context, run int64) (string, error) { return "paid", effect(ctx, run) }
	return s
}

// effect is what a method does in the transaction it was handed.
func effect(ctx context.Context, run int64) error {
	tx, ok := postgres.TxFromContext(ctx)
	if !ok {
		return errors.New("there is no transaction in the method's context")
	}
	r, ok := idem.FromContext(ctx)
	if !ok {
		return errors.New("there is no run in the method's context")
	}
	_, err := tx.Exec(ctx, sqlEffect+" VALUES ($1, $2)", r.DownstreamKey, run)
	return err
}

// wantEffects fails the test unless there are n effects, of n keys, and as many outcomes.
func (s *stage) wantEffects(n int) {
	s.Helper()
	if got := ask[int](s, "SELECT count(*) FROM effects"); got != n {
		s.Errorf("%d effects, want %d", got, n)
	}
	if keys := ask[int](s, "SELECT count(DISTINCT downstream_key) FROM effects"); keys != n {
		s.Errorf("the effects are of %d keys, want %d", keys, n)
	}
	if got := s.outcomes(); got != n {
		s.Errorf("%d outcomes, want %d", got, n)
	}
}

// wantPaid fails the test unless a call of the key gets the outcome.
func (s *stage) wantPaid(op *idem.Operation[string], key string, replayed bool) {
	s.Helper()
	ctx, info := idem.WithInfo(context.Background())
	out, err := s.call(ctx, op, key, "a")
	if out != "paid" || err != nil || info.Replayed != replayed || !info.Stored {
		s.Errorf("the call got %q, %v, %+v; want it paid, replayed %v", out, err, info, replayed)
	}
}

// wiredEffects are a stage with effects whose engine is behind a proxy, and another process that reaches the database directly.
func wiredEffects(t testing.TB, opts ...idem.Option) *wired {
	t.Helper()
	w := newWired(t, pgtest.Database(t), opts...)
	w.exec("CREATE TABLE effects (downstream_key text, run int)")
	w.method = func(ctx context.Context, run int64) (string, error) { return "paid", effect(ctx, run) }
	return w
}

// storing gives the stage an engine on a store of its own making.
func (s *stage) storing(edit func(*pgxpool.Config), options []postgres.Option, opts ...idem.Option) *pgxpool.Pool {
	s.Helper()
	edits := []func(*pgxpool.Config){}
	if edit != nil {
		edits = append(edits, edit)
	}
	pool := pgtest.PoolOf(s, s.dsn, edits...)
	s.worksOn(postgres.NewStore(pool, options...), opts...)
	return pool
}

// gatedEffect makes the method have its effect and wait in a gate then, whatever becomes of its context.
func (s *stage) gatedEffect() *idemtest.Gate {
	s.Helper()
	gate := idemtest.NewGate(s)
	s.method = func(ctx context.Context, run int64) (string, error) {
		return "paid", errors.Join(effect(ctx, run), gate.Enter(context.WithoutCancel(ctx)))
	}
	return gate
}
