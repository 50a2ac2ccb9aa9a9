package idem_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is what the engine's tests are played on: a store whose answers get lost, come late, or don't come, which is what a
// database does on a bad day. What only a database can show is in internal/scenarios.

// play is one engine over one store in memory.
type play struct {
	*testing.T
	store  *idemtest.Store
	engine *idem.Engine
	runs   atomic.Int64
	method func(ctx context.Context, run int64) (string, error)

	mu     sync.Mutex
	events []idem.Event
}

var pay = idem.Operation[string]{Name: "test.Pay", Lease: time.Minute}

var payRow = idem.RowID(idem.Ref{Operation: pay.Name, Key: "k"})

func newPlay(t *testing.T, opts ...idem.Option) *play {
	t.Helper()
	idemtest.NoLeaks(t)
	p := &play{T: t, store: idemtest.NewStore()}
	opts = append([]idem.Option{idem.WithStoreTimeout(500 * time.Millisecond), idem.WithObserver(p)}, opts...)
	e, err := idem.New(p.store, opts...)
	if err != nil {
		t.Fatal(err)
	}
	p.engine = e
	t.Cleanup(func() { _ = e.Close() })
	return p
}

func (p *play) Observe(_ context.Context, ev idem.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events, ev)
}

func (p *play) saw(kind idem.EventKind) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, ev := range p.events {
		if ev.Kind == kind {
			n++
		}
	}
	return n
}

func (p *play) pay(ctx context.Context, change ...func(*idem.Operation[string])) (string, error) {
	op := pay
	for _, f := range change {
		f(&op)
	}
	return idem.Do(ctx, p.engine, &op, idem.Call[string]{
		Key:  idem.StringKey("k"),
		Args: func(f *idem.Fingerprint) { f.Add("cents", 100) },
		Run: func(ctx context.Context) (string, error) {
			run := p.runs.Add(1)
			if p.method == nil {
				return fmt.Sprintf("ran %d", run), nil
			}
			return p.method(ctx, run)
		},
	})
}

func conflicting(op *idem.Operation[string]) { op.Policy = idem.PolicyConflict }

func (p *play) eventually(what string, ok func() bool) {
	p.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			p.Fatalf("never saw %s", what)
		}
	}
}

func (p *play) want(result string, runs int64, state idem.State) {
	p.Helper()
	out, err := p.pay(p.Context())
	if out != result || err != nil {
		p.Errorf("a later call got %q, %v; want %q", out, err, result)
	}
	if n := p.runs.Load(); n != runs {
		p.Errorf("the method ran %d times, want %d", n, runs)
	}
	if r := p.store.Row(payRow); r.State != state {
		p.Errorf("the row is in state %d, want %d", r.State, state)
	}
}

// with gives the play an engine over another store.
func (p *play) with(s idem.Store, opts ...idem.Option) {
	p.Helper()
	e, err := idem.New(s, append(opts, idem.WithObserver(p))...)
	if err != nil {
		p.Fatal(err)
	}
	p.engine = e
	p.Cleanup(func() { _ = e.Close() })
}
