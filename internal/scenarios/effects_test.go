package scenarios

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is runs that had their effect and could not say so: crashes and panics after it. The effect stands in a table of the other
// side's, which knows callers by the key that the method hands on.

// ledger is the other side: it does what it is asked once for each downstream key.
type ledger struct {
	s    *stage
	op   *idem.Operation[string] // that uses it
	seen []idem.Run              // in the order of the runs
}

func newLedger(s *stage) *ledger {
	s.Helper()
	s.exec("CREATE TABLE charges (downstream_key text PRIMARY KEY, number serial)")
	return &ledger{s: s, op: &charge}
}

// charge has the effect of ctx's run, unless it was had before, and says which charge it is.
func (l *ledger) charge(ctx context.Context) (result string, err error) {
	run, ok := idem.FromContext(ctx)
	if !ok {
		return "", errors.New("the method has no claim")
	}
	l.seen = append(l.seen, run)
	ctx = context.WithoutCancel(ctx)
	return result, pgx.BeginFunc(ctx, l.s.pool, func(tx pgx.Tx) error {
		const once = "INSERT INTO charges (downstream_key) VALUES ($1) ON CONFLICT (downstream_key) DO NOTHING"
		if _, err := tx.Exec(ctx, once, run.DownstreamKey); err != nil {
			return err
		}
		return tx.QueryRow(ctx, "SELECT 'charge ' || number FROM charges WHERE downstream_key = $1", run.DownstreamKey).Scan(&result)
	})
}

// find asks the other side whether it has had the effect of ctx's run.
func (l *ledger) find(ctx context.Context) (result string, happened bool, err error) {
	run, _ := idem.FromContext(ctx)
	err = l.s.pool.QueryRow(ctx, "SELECT 'charge ' || number FROM charges WHERE downstream_key = $1", run.DownstreamKey).Scan(&result)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	return result, err == nil, err
}

func (l *ledger) want(charges int) {
	l.s.Helper()
	if n := ask[int](l.s, "SELECT count(*) FROM charges"); n != charges {
		l.s.Errorf("%d charges, want %d", n, charges)
	}
}

// TestD5: the claim and the effect are in two places, so a crash between the effect and the outcome means a second run. The downstream key,
// which is the same for both, is what makes it find the first one's effect.
func TestD5_ACrashBetweenEffectAndOutcomeIsFoundByTheDownstreamKey(t *testing.T) {
	t.Parallel()
	for name, crash := range map[string]func(t *testing.T, l *ledger){
		"the process dies in the method":         diesInTheMethod,
		"the process dies before it can store":   diesBeforeComplete,
		"the goroutine ends after the effect":    panicsAfterTheEffect,
		"the connection breaks after the effect": saysNothingAfterTheEffect,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			l := newLedger(s)
			crash(t, l)
			l.want(1)
			s.method = func(ctx context.Context, _ int64) (string, error) { return l.charge(ctx) }
			ctx, info := idem.WithInfo(t.Context())
			out, err := s.call(ctx, &charge, "k", "a")
			if out != "charge 1" || err != nil || info.Replayed || info.Attempt != 2 {
				t.Errorf("the second run got %q, %v, %+v", out, err, info)
			}
			l.want(1)
			s.wantRuns(2)
			if first, second := l.seen[0], l.seen[1]; first.DownstreamKey != second.DownstreamKey || first.Fence >= second.Fence {
				t.Errorf("the runs were %+v and %+v; want one downstream key and a greater fence", first, second)
			}
			// What would be another request is another key for the other side, too.
			for _, other := range []struct{ key, arg string }{{"k2", "a"}, {"k3", "b"}} {
				if _, err := s.call(t.Context(), &charge, other.key, other.arg); err != nil {
					t.Error(err)
				}
			}
			l.want(3)
		})
	}
}

// diesInTheMethod has the effect, and is never heard of again.
func diesInTheMethod(t *testing.T, l *ledger) {
	gate := idemtest.NewGate(t)
	l.s.method = func(ctx context.Context, _ int64) (string, error) {
		_, err := l.charge(ctx)
		_ = gate.Enter(context.WithoutCancel(ctx))
		return "", errors.Join(err, errors.New("long dead"))
	}
	dead := l.s.async(t.Context(), l.op, "k", "a")
	t.Cleanup(func() { gate.Open(); <-dead })
	gate.Await(t, 1)
	l.s.age("k", time.Minute)
}

// diesBeforeComplete has the effect, returns, and its engine never reaches the store again.
func diesBeforeComplete(t *testing.T, l *ledger) {
	s, alive := l.s, l.s.engine
	defer func() { s.engine = alive }()
	never := s.behindCut(idem.WithStoreTimeout(1500*time.Millisecond)).Inject(sqlComplete, idemtest.Fault{Times: idemtest.Always})
	s.method = func(ctx context.Context, _ int64) (string, error) { return l.charge(ctx) }
	ctx, info := idem.WithInfo(t.Context())
	if out, err := s.call(ctx, l.op, "k", "a"); out != "charge 1" || err != nil || info.Stored || never.Hits() == 0 {
		t.Fatalf("got %q, %v, %+v, and %d attempts to store it failed", out, err, info, never.Hits())
	}
	s.stopAtOnce()
	s.age("k", time.Minute)
}

// panicsAfterTheEffect ends without a word.
func panicsAfterTheEffect(t *testing.T, l *ledger) {
	l.s.method = func(ctx context.Context, _ int64) (string, error) {
		_, err := l.charge(ctx)
		panic(err)
	}
	defer func() { _ = recover() }()
	_, err := l.s.call(t.Context(), l.op, "k", "a")
	t.Errorf("the call returned %v", err)
}

// saysNothingAfterTheEffect returns an error that looks like a refusal of nothing in particular.
func saysNothingAfterTheEffect(t *testing.T, l *ledger) {
	l.s.method = func(ctx context.Context, _ int64) (string, error) {
		_, err := l.charge(ctx)
		return "", errors.Join(err, context.DeadlineExceeded)
	}
	if _, err := l.s.call(t.Context(), l.op, "k", "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestPB8: whether a method that panicked may have had its effect, nobody knows; who runs it again, if anybody, is the operation's choice.
func TestPB8_APanicAfterTheEffectIsJudgedByTheTakeoverPolicy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		op   *idem.Operation[string]
		next answer
		runs int64
		row  string
	}{
		{"rerun", &charge, answer{"charge 1", nil}, 2, "done"},
		{"recover", with(recovering), answer{"charge 1", nil}, 1, "done"},
		{"hold", with(holding), answer{"", idem.ErrOutcomeUnknown}, 1, "unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			l := newLedger(s)
			s.method = func(ctx context.Context, run int64) (string, error) {
				charged, err := l.charge(ctx)
				if run == 1 {
					panic("after the effect")
				}
				return charged, err
			}
			s.find = l.find
			s.panicking(c.op, "k")
			if r := s.charged("k"); !r.Abandoned || r.Codec != "" {
				t.Errorf("after the panic the row is %+v; want no outcome in it", r)
			}
			for range 2 {
				out, err := s.call(t.Context(), c.op, "k", "a")
				if out != c.next.result || !errors.Is(err, c.next.err) {
					t.Errorf("the next caller got %q, %v; want %v", out, err, c.next)
				}
			}
			_, err := s.call(t.Context(), c.op, "k", "other arguments")
			wantErr(t, err, idem.ErrMismatch)
			l.want(1)
			s.wantRuns(c.runs)
			s.wantRowNow("k", c.row)
		})
	}
}

// panicking makes a call whose method panics.
func (s *stage) panicking(op *idem.Operation[string], key string) {
	s.Helper()
	defer func() {
		if recover() == nil {
			s.Error("the panic did not come through")
		}
	}()
	_, err := s.call(context.Background(), op, key, "a")
	s.Errorf("the call returned %v", err)
}

// TestPB9: a panic, or an error that says nothing, ends the claim there and then: neither the next caller nor those who wait already have
// to wait for the lease, which is an hour here.
func TestPB9_AKeyIsNotStuckAfterAPanicOrAnUnknownError(t *testing.T) {
	t.Parallel()
	op := with(func(op *idem.Operation[string]) {
		conflict(op)
		op.Lease = time.Hour
	})
	patient := with(func(op *idem.Operation[string]) { op.Lease = time.Hour })
	for name, end := range map[string]func() (string, error){
		"panic":        func() (string, error) { panic("after the effect") },
		"internal 500": func() (string, error) { return "", idem.Unknown(errors.New("500 Internal Server Error")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			gate := idemtest.NewGate(t)
			s.method = func(ctx context.Context, run int64) (string, error) {
				switch run {
				case 1:
					return end()
				case 3:
					_ = gate.Enter(ctx)
					return end()
				}
				return "charged", nil
			}
			unharmed := func(key string) { defer func() { _ = recover() }(); _, _ = s.call(t.Context(), op, key, "a") }
			unharmed("k")
			if out, err := s.call(t.Context(), op, "k", "a"); out != "charged" || err != nil { // PolicyConflict: it would be told to wait
				t.Errorf("the next caller got %q, %v", out, err)
			}
			go unharmed("k2")
			gate.Await(t, 1)
			waiter := s.async(t.Context(), patient, "k2", "a")
			s.await(idem.EventWaited, 1)
			gate.Open()
			if a := <-waiter; a != (answer{"charged", nil}) {
				t.Errorf("who waited got %v", a)
			}
			s.wantRuns(4)
			if n := s.events.count(idem.EventTakenOver); n != 2 {
				t.Errorf("%d take-overs, want 2", n)
			}
		})
	}
}

// TestD9 is about the method's own database work: its commit was carried out, and the answer lost. What the driver returns then
// is no context error, no timeout and no EOF, and must not be taken for "nothing happened".
func TestD9_ALostCommitOfTheMethodsOwnIsNoProofOfNoEffect(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.exec("CREATE TABLE orders (id text)")
	own, cut := throughCut(t, s.dsn)
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
	if rows := ask[int](s, "SELECT count(*) FROM orders"); rows != 1 {
		t.Fatalf("%d orders: the commit was not carried out, and the test shows nothing", rows)
	}
	if r := s.charged("k"); !r.Abandoned {
		t.Errorf("after %v the row is %+v", err, r)
	}
}
