//go:build unix

package processes

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is the test: trouble, until there was enough; healing; judgement.

var (
	seedFlag = flag.Uint64("seed", 0, "what decides what goes wrong; 0: another one each time")
	duration = flag.Duration("duration", 8*time.Second, "how long things go wrong, at least")
)

// enoughWithin is how long a slow machine has, beyond the duration, to bring about what a run needs.
const enoughWithin = 90 * time.Second

func TestMain(m *testing.M) {
	if orders := os.Getenv(workerEnv); orders != "" {
		if err := workerMain(orders); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	pgtest.Main(m)
}

func TestProcessesDieStallAndComeBackLate(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed) // also when the run ends before its report
	began := time.Now()
	f := newFleet(t, seed)
	issued := f.makeTrouble(*duration)
	f.heal(issued)

	e, err := gather(t.Context(), f.pool, f.orders.Folder, issued)
	if err != nil {
		t.Fatal(err)
	}
	e.killed = f.killed
	fs := figures(e, f.counts)
	t.Log(report(seed, time.Since(began), e, fs))
	t.Attr("figures", inOneLine(fs))
	for _, fig := range fs {
		if fig.needed && fig.n == 0 {
			t.Errorf("%s: 0, and a run without shows nothing", strings.TrimSpace(fig.name))
		}
	}
	for _, c := range checks {
		t.Run(c.promise, func(t *testing.T) {
			for i, wrong := range c.check(e) {
				t.Errorf("%s: %s", wrong.key, wrong.text)
				if i < stories {
					t.Log(e.story(wrong.key))
				}
			}
		})
	}
}

// stories is how many keys' stories are told for each check that fails.
const stories = 3

// newFleet starts a server of its own, and workers on it.
func newFleet(t *testing.T, seed uint64) *fleet {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server, err := pgtest.Start(ctx, pgtest.Options{Durable: true})
	if err != nil {
		t.Fatal("this test needs a Postgres server: ", err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	pool := pgtest.PoolOf(t, server.DSN(), func(c *pgxpool.Config) { c.MaxConns = slots })
	if err := postgres.Migrate(ctx, pool); err != nil {
		t.Fatal(err)
	}
	if err := installWitness(ctx, pool); err != nil {
		t.Fatal(err)
	}
	f := &fleet{
		TB: t, pool: pool, orders: orders{DSN: server.DSN(), Folder: t.TempDir(), Seed: seed},
		counts: map[string]int{}, meetings: map[question]*meeting{}, killed: map[string]point{},
	}
	keep, stop := context.WithCancel(context.Background())
	f.stopKeeping = stop
	t.Cleanup(f.end)
	f.work.Go(func() { f.keepGoing(keep) })
	f.mu.Lock()
	defer f.mu.Unlock()
	for slot := range workers {
		f.start(slot)
	}
	return f
}

// makeTrouble lets things go wrong for as long as it takes, and gives each key that has its outcome a successor. It returns all
// that was ordered.
func (f *fleet) makeTrouble(atLeast time.Duration) []order {
	ctx, stop := context.WithCancel(context.Background())
	f.work.Go(func() { f.trouble(ctx) })
	defer f.tellAll(command{Calm: true})
	defer stop()
	var g generations
	issued, settled := g.orders(), [slots]int{}
	began := time.Now()
	for time.Since(began) < atLeast || !f.enough() && time.Since(began) < atLeast+enoughWithin {
		time.Sleep(lease / 10) // the pace at which keys are replaced
		if f.Failed() {
			break
		}
		done, err := outcomes(ctx, f.pool, g.orders())
		if err != nil {
			f.Fatal(err)
		}
		for slot := range g {
			if _, ok := done[g.order(slot).Key]; !ok {
				continue
			}
			if settled[slot]++; settled[slot] > lingers { // so that it was replayed too
				g[slot]++
				settled[slot] = 0
				issued = append(issued, g.order(slot))
			}
		}
		f.tellAll(command{Generations: &g})
	}
	return issued
}

// lingers is how many looks a key with an outcome stays in use.
const lingers = 3

// enough reports whether what a run needs has happened.
func (f *fleet) enough() bool {
	expiries, err := seen(context.Background(), f.pool, sawExpiry)
	if err != nil {
		f.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	inside := 0
	for _, at := range f.killed {
		if at != anywhere && at != completed {
			inside++
		}
	}
	for _, meeting := range []string{lateTaking, lateStep + "complete", lateStep + "release", lateStep + "abandon"} {
		if f.counts[meeting] == 0 {
			return false
		}
	}
	return expiries > 0 && inside > 0
}

// heal lets the workers finish without faults, and then calls every key once more: none may be stuck.
func (f *fleet) heal(issued []order) {
	f.finish()
	w := &worker{orders: orders{Name: "healer"}}
	w.calm.Store(true)
	engine, err := idem.New(postgres.NewStore(f.pool))
	if err := errors.Join(err, w.openJournals(f.orders.Folder)); err != nil {
		f.Fatal(err)
	}
	idemtest.NoLeaks(f)
	w.till = newIdempotentTill(w, engine)
	var calls sync.WaitGroup
	for part := range slices.Chunk(issued, len(issued)/slots+1) {
		calls.Go(func() {
			for _, o := range part {
				f.healKey(w, o)
			}
		})
	}
	calls.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), endWithin)
	defer cancel()
	if err := engine.Shutdown(ctx); err != nil {
		f.Errorf("the engine did not end: %v", err)
	}
}

// healKey calls one key until it has an outcome. A claim whose process was killed at the very end may be live still; a call
// that does not wait for it is told so.
func (f *fleet) healKey(w *worker, o order) {
	ctx, cancel := context.WithTimeout(context.Background(), finishWithin)
	defer cancel()
	for {
		m := call(ctx, w.till, w.history, move{Call: w.nextID(), Worker: w.Name}, o)
		switch {
		case m.Stored:
			return
		case m.Answer != inFlight && m.Answer != storeFailed || ctx.Err() != nil:
			f.Errorf("%s is stuck: %s, %s", o.Key, m.Answer, m.Detail)
			return
		}
		time.Sleep(lease / 10)
	}
}
