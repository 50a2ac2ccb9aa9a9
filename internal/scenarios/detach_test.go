package scenarios

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is methods that outlive their callers, on Postgres: rows, leases, and a process that dies of a panic nobody could recover.

// TestD2: a client's hanging up is no reason to cut off what it asked for, where the method is detached.
func TestD2_ADetachedRunEndsInPeaceWhenItsCallerGoesAway(t *testing.T) {
	t.Parallel()
	declined := errors.New("declined")
	for name, c := range map[string]struct {
		err    error
		hold   bool
		row    string
		result string // of who waits meanwhile
	}{
		"a result":             {nil, false, "done", "charged"},
		"a result, under hold": {nil, true, "done", "charged"},
		"no effect":            {idem.NoEffect(declined), false, "absent", "ran 2"},
		"a plain error":        {declined, false, "absent", "ran 2"},
		"nothing is said":      {idem.Unknown(declined), true, "unknown", ""},
	} {
		for how, end := range enders {
			t.Run(name+"/"+how, func(t *testing.T) {
				t.Parallel()
				s, ctx := newStage(t), end(t)
				op := with(detached)
				if c.hold {
					holding(op)
				}
				gate := idemtest.NewGate(t)
				s.method = func(mctx context.Context, run int64) (string, error) {
					if run > 1 {
						return fmt.Sprint("ran ", run), nil
					}
					if err := gate.Enter(mctx); err != nil {
						t.Errorf("it was cut off: %v", err)
					}
					return "charged", c.err
				}
				first := s.async(ctx, op, "k", "a")
				gate.Await(t, 1)
				ctx.end()
				a := <-first
				if failed := wantErr(t, a.err, idem.ErrInFlight); !errors.Is(a.err, ctx.err) || failed.RetryAfter == 0 || a.result != "" {
					t.Errorf("its caller got %q, %v", a.result, a.err)
				}
				s.wantRowNow("k", "running")
				other := s.anotherProcess()
				other.plays = s
				waiter := other.async(t.Context(), op, "k", "a")
				other.await(idem.EventWaited, 1)
				gate.Open()
				switch a := <-waiter; {
				case c.result == "":
					wantErr(t, a.err, idem.ErrOutcomeUnknown)
				default:
					s.wantAnswer(a, c.result, nil)
				}
				if c.result != "ran 2" {
					s.wantRuns(1)
					s.wantRow("k", c.row)
				}
				if s.events.count(idem.EventDetached) != 1 {
					t.Errorf("observed %v", s.events.kinds())
				}
			})
		}
	}
}

// TestPA6: nobody waits for it any more, and its lease is renewed all the same.
func TestPA6_ADetachedRunIsRenewedWithoutItsCaller(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	op := withLease(time.Second)
	detached(&op)
	ctx, cancel := context.WithCancel(t.Context())
	s.method = func(mctx context.Context, _ int64) (string, error) {
		cancel()
		for deadline := time.Now().Add(20 * time.Second); !s.renewedPast(time.Second) && time.Now().Before(deadline); {
			time.Sleep(5 * time.Millisecond)
		}
		return "slow", nil
	}
	if _, err := s.call(ctx, &op, "k", "a"); !errors.Is(err, idem.ErrInFlight) {
		t.Errorf("its caller got %v", err)
	}
	if out, err := s.call(t.Context(), &op, "k", "a"); out != "slow" || err != nil {
		t.Errorf("a retry got %q, %v", out, err)
	}
	s.wantRuns(1)
	if n := s.events.count(idem.EventLeaseLost); n != 0 {
		t.Errorf("%d leases were lost", n)
	}
}

// dyingOn is the variable that makes this program a process that dies on a database.
const dyingOn = "IDEM_TEST_DYING_ON"

// dieDetached has the effect in a detached method, which panics then.
func dieDetached(dsn string) {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		fmt.Println(err)
		return
	}
	engine, err := idem.New(postgres.NewStore(pool), idem.WithObserver(idem.ObserverFunc(func(_ context.Context, ev idem.Event) {
		fmt.Println("observed:", ev.Kind, ev.Err)
	})))
	if err != nil {
		fmt.Println(err)
		return
	}
	s := &stage{pool: pool, engine: engine}
	l := &ledger{s: s}
	s.method = func(ctx context.Context, _ int64) (string, error) {
		_, err := l.charge(ctx)
		panic(fmt.Sprint("after the effect: ", err))
	}
	s.find = l.find
	_, err = s.call(ctx, with(recovering, detached), "k", "a")
	fmt.Println("the call returned", err)
}

// TestPB8: a panic of a detached method ends the process, and does not free the key: the next one asks.
func TestPB8_APanicOfADetachedMethodAbandonsItsClaimAndEndsTheProcess(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	l := newLedger(s)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), dyingOn+"="+s.dsn)
	out, err := cmd.CombinedOutput()
	died, said := new(exec.ExitError), string(out)
	if !errors.As(err, &died) || died.ExitCode() != 2 || !strings.Contains(said, "observed: abandoned the method panicked\n") ||
		!strings.Contains(said, "panic: after the effect: <nil>\n") || !strings.Contains(said, "scenarios.dieDetached.func") || strings.Contains(said, "the call returned") {
		t.Errorf("it ended with %v, and said:\n%s", err, said)
	}
	if r := s.charged("k"); r.String() != "running lapsed abandoned" || r.Lapses != 1 {
		t.Errorf("it left %+v", r)
	}
	s.find = l.find
	if out, err := s.call(t.Context(), with(recovering), "k", "a"); out != "charge 1" || err != nil {
		t.Errorf("the next caller got %q, %v", out, err)
	}
	s.wantRuns(0)
	l.want(1)
}
