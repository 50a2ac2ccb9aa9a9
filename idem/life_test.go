package idem_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is the end of an engine's life, in virtual time: nothing of its own is still at work in a store that it has closed, and
// what it can still store it stores.

// closable is a store that is closed, and whose steps hang as a test says.
type closable struct {
	*idemtest.Store
	hangs map[idemtest.Step]time.Duration // for how long a step goes on after its context's end; it does not come before

	mu     sync.Mutex
	inside int // steps under way
	closed int
	early  bool // it was closed with steps under way
}

func (c *closable) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed++
	c.early = c.early || c.inside > 0
	return nil
}

// closings is how often it was closed.
func (c *closable) closings() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// busy is how many steps are under way.
func (c *closable) busy() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inside
}

// enter is the beginning of a step; err is not nil when it hung.
func (c *closable) enter(ctx context.Context, step idemtest.Step) (leave func(), err error) {
	c.mu.Lock()
	c.inside++
	linger, hangs := c.hangs[step]
	c.mu.Unlock()
	if hangs {
		<-ctx.Done()
		time.Sleep(linger)
		err = ctx.Err()
	}
	return func() {
		c.mu.Lock()
		c.inside--
		c.mu.Unlock()
	}, err
}

func (c *closable) Complete(ctx context.Context, o idem.Outcome) (idem.Row, error) {
	leave, err := c.enter(ctx, idemtest.StepComplete)
	defer leave()
	if err != nil {
		return idem.Row{}, err
	}
	return c.Store.Complete(ctx, o)
}

func (c *closable) Renew(ctx context.Context, leases []idem.Lease) ([]idem.Renewal, error) {
	leave, err := c.enter(ctx, idemtest.StepRenew)
	defer leave()
	if err != nil {
		return nil, err
	}
	return c.Store.Renew(ctx, leases)
}

func (c *closable) Read(ctx context.Context, ids []idem.ID) ([]idem.Row, error) {
	leave, err := c.enter(ctx, idemtest.StepRead)
	defer leave()
	if err != nil {
		return nil, err
	}
	return c.Store.Read(ctx, ids)
}

// life is an engine on a store that it will close, and a method that runs for as long as a test says.
type life struct {
	store  *closable
	engine *idem.Engine
	end    chan struct{}
}

func newLife(t *testing.T, hangs map[idemtest.Step]time.Duration) *life {
	t.Helper()
	l := &life{store: &closable{Store: idemtest.NewStore(), hangs: hangs}, end: make(chan struct{})}
	e, err := idem.New(l.store)
	if err != nil {
		t.Fatal(err)
	}
	l.engine = e
	return l
}

func (l *life) call(ctx context.Context) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := idem.Do(ctx, l.engine, &pay, idem.Call[string]{Key: idem.StringKey("k"), Run: func(context.Context) (string, error) {
			<-l.end
			return "charged", nil
		}})
		done <- err
	}()
	synctest.Wait()
	return done
}

func TestClose_ClosesTheStoreOnceWhenTheLastRunHasEnded(t *testing.T) {
	t.Parallel()
	for name, running := range map[string]bool{"idle": false, "a method is running": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLife(t, nil)
				var done <-chan error
				if running {
					done = l.call(t.Context())
				}
				_ = l.engine.Close()
				if n := l.store.closings(); running == (n > 0) {
					t.Errorf("after Close the store is closed %d times", n)
				}
				if running {
					close(l.end)
					if err := <-done; err != nil {
						t.Error(err)
					}
				}
				synctest.Wait()
				_ = l.engine.Close()
				_ = l.engine.Shutdown(t.Context())
				if n := l.store.closings(); n != 1 || l.store.early {
					t.Errorf("in the end the store is closed %d times; in the middle of a step: %v", n, l.store.early)
				}
			})
		})
	}
}

// TestShutdown: a call that has returned may have left something to be stored.
func TestShutdown_StoresWhatIsStillToBeStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLife(t, nil)
		down := l.store.Inject(idemtest.StepComplete, idemtest.Fault{Times: idemtest.Always})
		close(l.end)
		if err := <-l.call(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, down.Stop)
		if err := l.engine.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if r := l.store.Row(payRow); r.State != idem.StateDone || l.store.closings() != 1 || l.store.early {
			t.Errorf("the row is in state %d; the store was closed %d times, in the middle of a step: %v", r.State, l.store.closings(), l.store.early)
		}
	})
}

// TestClose_NothingIsAtWorkInAClosedStore: each kind of work that goes on beside the calls is ended, and waited for.
func TestClose_NothingIsAtWorkInAClosedStore(t *testing.T) {
	t.Parallel()
	for step, begin := range map[idemtest.Step]func(*testing.T, *life){
		idemtest.StepComplete: func(t *testing.T, l *life) { // in the background
			close(l.end)
			if err := <-l.call(t.Context()); err != nil {
				t.Error(err)
			}
		},
		idemtest.StepRenew: func(t *testing.T, l *life) {
			done := l.call(t.Context())
			time.Sleep(pay.Lease / 2)
			close(l.end)
			if err := <-done; err != nil {
				t.Error(err)
			}
		},
		idemtest.StepRead: func(t *testing.T, l *life) { // for a waiter that has gone
			first := l.call(t.Context())
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			waiter := l.call(ctx)
			time.Sleep(time.Second)
			cancel()
			if err := <-waiter; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			close(l.end)
			<-first
		},
	} {
		t.Run(string(step), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLife(t, map[idemtest.Step]time.Duration{step: 100 * time.Millisecond})
				begin(t, l)
				for l.store.busy() == 0 { // between two tries
					time.Sleep(time.Millisecond)
				}
				began := time.Now()
				_ = l.engine.Close()
				if n := l.store.busy(); n != 0 || l.store.early || l.store.closings() != 1 || time.Since(began) > 5500*time.Millisecond { // nothing is told to end
					t.Errorf("closed after %v, %d times, with %d steps under way; in the middle of one: %v", time.Since(began), l.store.closings(), n, l.store.early)
				}
			})
		})
	}
}

// TestClosed_AnEngineSendsNothingAnyMore: the claim of a call that can't run would only be in the way.
func TestClosed_AnEngineSendsNothingAnyMore(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	_ = p.engine.Close()
	if _, err := p.pay(t.Context()); !errors.Is(err, idem.ErrClosed) || p.store.Calls(idemtest.StepClaim) != 0 {
		t.Errorf("got %v after %d claims", err, p.store.Calls(idemtest.StepClaim))
	}
}

// TestClosed_AWaitEndsWithTheEngineAtOnce: it is not left to run out.
func TestClosed_AWaitEndsWithTheEngineAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLife(t, nil)
		first, waiter := l.call(t.Context()), l.call(t.Context())
		time.Sleep(time.Second)
		began := time.Now()
		go l.engine.Close()
		if err := <-waiter; !errors.Is(err, idem.ErrClosed) || !errors.Is(err, idem.ErrInFlight) || time.Since(began) != 0 {
			t.Errorf("after %v the waiter got %v", time.Since(began), err)
		}
		close(l.end)
		<-first
	})
}
