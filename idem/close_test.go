package idem_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is what becomes of methods that are running when the engine is shut down: they have time to end by themselves, are told to
// end, and are never given up by somebody else.

// errTold is what a method returns that was told to end.
var errTold = errors.New("cut off")

// obeys runs for as long as d, and ends early when it is told to.
func obeys(d time.Duration) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		select {
		case <-time.After(d):
			return "charged", nil
		case <-ctx.Done():
			return "", errTold
		}
	}
}

// deaf runs for as long as d, whatever it is told.
func deaf(d time.Duration) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		time.Sleep(d)
		return "charged", nil
	}
}

func TestShutdown_LetsRunningMethodsEndAndThenTellsThemTo(t *testing.T) {
	t.Parallel()
	why := errors.New("the pod has to go")
	for name, c := range map[string]struct {
		method   func(context.Context) (string, error)
		wait     time.Duration
		err      error
		took     time.Duration
		then     string // the row when Shutdown returns
		finally  string // and when the method has returned
		returned error
	}{
		"one that ends in time":  {obeys(2 * time.Second), 3 * time.Second, nil, 2 * time.Second, "done 1", "done 1", nil},
		"one that obeys":         {obeys(time.Hour), 3 * time.Second, why, 3 * time.Second, "running lapsed abandoned 1", "running lapsed abandoned 1", errTold},
		"one that succeeds late": {deaf(3500 * time.Millisecond), 3 * time.Second, why, 3500 * time.Millisecond, "done 1", "done 1", nil},
		"one that is deaf":       {deaf(time.Hour), 3 * time.Second, why, 4 * time.Second, "running 1", "done 1", nil},
	} {
		for _, detach := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := &closable{Store: idemtest.NewStore()}
					e, err := idem.New(store)
					if err != nil {
						t.Fatal(err)
					}
					op := pay
					op.Detach = detach
					done := make(chan error, 1)
					go func() {
						_, err := idem.Do(t.Context(), e, &op, idem.Call[string]{Key: idem.StringKey("k"), Run: func(ctx context.Context) (string, error) {
							out, err := c.method(ctx)
							if told := ctx.Err() != nil; told != (c.err != nil) || told && !errors.Is(context.Cause(ctx), idem.ErrClosed) {
								t.Errorf("its context ended by %v", context.Cause(ctx))
							}
							return out, err
						}})
						done <- err
					}()
					synctest.Wait()
					began := time.Now()
					ctx, cancel := context.WithTimeoutCause(t.Context(), c.wait, why)
					defer cancel()
					if err := e.Shutdown(ctx); err != c.err { //nolint:errorlint // the very cause
						t.Errorf("Shutdown returned %v", err)
					}
					if took := time.Since(began); took != c.took {
						t.Errorf("it took %v, want %v", took, c.took)
					}
					if got := rowText(store.Row(payRow)); got != c.then {
						t.Errorf("then the row is %q, want %q", got, c.then)
					}
					running := c.then == "running 1"
					if n := store.closings(); running == (n > 0) {
						t.Errorf("then the store is closed %d times", n)
					}
					if running { // nobody else may start beside it
						time.Sleep(10 * pay.Lease)
						if got := rowText(store.Row(payRow)); got != "running 1" {
							t.Errorf("ten leases later the row is %q", got)
						}
					}
					if err := <-done; err != c.returned { //nolint:errorlint // unchanged
						t.Errorf("its caller got %v", err)
					}
					synctest.Wait()
					if got := rowText(store.Row(payRow)); got != c.finally {
						t.Errorf("in the end the row is %q, want %q", got, c.finally)
					}
					if n := store.closings(); n != 1 || store.early {
						t.Errorf("in the end the store is closed %d times; in the middle of a step: %v", n, store.early)
					}
				})
			})
		}
	}
}

// TestClose_IsShutdownWithFiveSeconds, at once when nothing is running.
func TestClose_IsShutdownWithFiveSeconds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		runs, took time.Duration
		cut        bool
	}{
		"idle": {}, "a short run": {runs: 4 * time.Second, took: 4 * time.Second}, "a long run": {runs: time.Hour, took: 5 * time.Second, cut: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, err := idem.New(idemtest.NewStore())
				if err != nil {
					t.Fatal(err)
				}
				if c.runs > 0 {
					go func() {
						_, _ = idem.Do(t.Context(), e, &pay, idem.Call[string]{Key: idem.StringKey("k"), Run: obeys(c.runs)})
					}()
				}
				synctest.Wait()
				began := time.Now()
				if err := e.Close(); (err != nil) != c.cut || time.Since(began) != c.took {
					t.Errorf("after %v it returned %v", time.Since(began), err)
				}
			})
		})
	}
}

// TestShutdown_APersonIsAskedOnlyAboutWhatWasCutOff: under hold.
func TestShutdown_APersonIsAskedOnlyAboutWhatWasCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := idemtest.NewStore()
		e, err := idem.New(store)
		if err != nil {
			t.Fatal(err)
		}
		op := pay
		op.Takeover = idem.TakeoverHold
		for key, d := range map[string]time.Duration{"short": time.Second, "long": time.Hour} {
			go func() {
				_, _ = idem.Do(t.Context(), e, &op, idem.Call[string]{Key: idem.StringKey(key), Run: obeys(d)})
			}()
		}
		synctest.Wait()
		_ = e.Close()
		for key, want := range map[string]string{"short": "done 1", "long": "unknown 1"} {
			if got := rowText(store.Row(idem.RowID(idem.Ref{Operation: pay.Name, Key: key}))); got != want {
				t.Errorf("the %s run left %q, want %q", key, got, want)
			}
		}
	})
}

// TestShutdown_ManyAtOnce: each returns when it is over, or its own time is.
func TestShutdown_ManyAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, err := idem.New(idemtest.NewStore())
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = idem.Do(t.Context(), e, &pay, idem.Call[string]{Key: idem.StringKey("k"), Run: deaf(20 * time.Second)})
		}()
		synctest.Wait()
		began := time.Now()
		closed := make(chan time.Duration, 3)
		for _, patience := range []time.Duration{time.Second, 3 * time.Second, time.Hour} {
			go func() {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				_ = e.Shutdown(ctx)
				closed <- time.Since(began)
			}()
		}
		for _, want := range []time.Duration{2 * time.Second, 4 * time.Second, 20 * time.Second} {
			if took := <-closed; took != want {
				t.Errorf("one took %v, want %v", took, want)
			}
		}
	})
}
