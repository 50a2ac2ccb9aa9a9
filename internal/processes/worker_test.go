//go:build unix

package processes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is a worker's life: made from its orders, run until its input ends, and ended without leaving anything behind.

// orders are what a worker is started with.
type orders struct {
	Name        string
	DSN         string
	Folder      string
	Seed        uint64
	Generations generations
}

// workerEnv names the variable that makes a process of this binary a worker. It holds the orders.
const workerEnv = "IDEMGEN_PROCESSES_WORKER"

// worker is one process.
type worker struct {
	orders
	till            *idempotentTill
	ledger, history *journal
	generations     atomic.Pointer[generations]
	calm            atomic.Bool

	ids      atomic.Int64
	faults   sync.Map // fences whose fault was put
	late     sync.Map // keys of runs that were stalled and have not written yet
	keys     sync.Map // row's id → key
	stopping sync.Mutex
	saying   sync.Mutex
	out      io.Writer
	expected sync.Map      // id → channel
	deaf     chan struct{} // closed when the test has nothing more to say
}

const (
	endWithin   = 30 * time.Second // of the engine
	quietWithin = 15 * time.Second // until the last goroutine has ended
)

// workerMain is the main function of a worker.
func workerMain(text string) error {
	idle := runtime.NumGoroutine()
	w := &worker{out: os.Stdout, deaf: make(chan struct{})}
	if err := json.Unmarshal([]byte(text), &w.orders); err != nil {
		return err
	}
	w.generations.Store(&w.Generations)
	if err := w.openJournals(w.Folder); err != nil {
		return err
	}
	if err := w.serve(); err != nil {
		return err
	}
	return quiet(idle)
}

func (w *worker) openJournals(folder string) (err error) {
	if w.ledger, err = openJournal(filepath.Join(folder, ledgerFile), true); err == nil {
		w.history, err = openJournal(filepath.Join(folder, historyFile), false)
	}
	return err
}

// serve lets the callers loose until the input ends, and ends the engine and the pool.
func (w *worker) serve() error {
	cfg, err := pgxpool.ParseConfig(w.DSN)
	if err != nil {
		return errors.New("the database's address does not parse")
	}
	cfg.MaxConns = 4
	cfg.ConnConfig.RuntimeParams["application_name"] = "worker"
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		return err
	}
	defer pool.Close()
	engine, err := idem.New(directed{postgres.NewStore(pool), w}, idem.WithObserver(w), idem.WithOrigin(w.Name))
	if err != nil {
		return err
	}
	w.till = newIdempotentTill(w, engine)

	finish := make(chan struct{})
	var calls sync.WaitGroup
	for i := range callers {
		calls.Go(func() { w.caller(i, finish) })
	}
	w.listen(os.Stdin)
	close(finish)
	calls.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), endWithin)
	defer cancel()
	if err := engine.Shutdown(ctx); err != nil {
		return fmt.Errorf("the engine did not end: %w", err)
	}
	return nil
}

// Observe passes on the events that tell of hard days.
func (w *worker) Observe(_ context.Context, ev idem.Event) {
	switch ev.Kind {
	case idem.EventFenced, idem.EventLeaseLost, idem.EventCompleteFailed, idem.EventStoreFailed:
		w.say(notice{What: string(ev.Kind), Fence: ev.Fence})
	}
}

// nextID is an id that no other call, of any worker, has.
func (w *worker) nextID() string { return w.Name + "-" + strconv.FormatInt(w.ids.Add(1), 10) }

// quiet waits until there are no more goroutines than there were idle.
func quiet(idle int) error {
	for deadline := time.Now().Add(quietWithin); runtime.NumGoroutine() > idle; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
			return errors.New("goroutines stayed behind")
		}
	}
	return nil
}
