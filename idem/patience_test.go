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

// This file is how long a call waits, in virtual time, where "at once" is no time at all. That it is so in every phase of a call on a
// real database is in internal/scenarios.

// waited is what became of a duplicate.
type waited struct {
	took  time.Duration
	looks int
	out   string
	err   error
}

// waitingCall plays a duplicate that waits for the run of another process, whose outcome is stored after ends (0: never).
func waitingCall(ctx context.Context, t *testing.T, maxWait, ends time.Duration) waited {
	t.Helper()
	store := idemtest.NewStore()
	engines := make([]*idem.Engine, 2)
	for i := range engines {
		e, err := idem.New(store)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		engines[i] = e
	}
	op := &idem.Operation[string]{Name: "test.Wait", Lease: 24 * time.Hour, MaxWait: maxWait}
	stop := make(chan struct{})
	call := func(ctx context.Context, e *idem.Engine) (string, error) {
		return idem.Do(ctx, e, op, idem.Call[string]{Key: idem.StringKey("k"), Run: func(context.Context) (string, error) {
			<-stop
			return "charged", nil
		}})
	}
	go func() { _, _ = call(t.Context(), engines[0]) }()
	synctest.Wait() // it runs
	began := time.Now()
	if ends > 0 {
		time.AfterFunc(ends, func() { close(stop) })
	} else {
		defer close(stop)
	}
	out, err := call(ctx, engines[1])
	return waited{time.Since(began), store.Calls(idemtest.StepRead), out, err}
}

// instants are spread over looks that are ten milliseconds and a second apart.
var instants = []time.Duration{time.Millisecond, 7 * time.Millisecond, 50 * time.Millisecond, 333 * time.Millisecond, 2500 * time.Millisecond, time.Minute + 1}

func TestC7_ACancelledWaitEndsAtOnce(t *testing.T) {
	t.Parallel()
	for _, at := range instants {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			time.AfterFunc(at, cancel)
			w := waitingCall(ctx, t, time.Hour, 0)
			if w.took != at || !errors.Is(w.err, context.Canceled) || !errors.Is(w.err, idem.ErrInFlight) {
				t.Errorf("cancelled after %v, the call returned after %v with %v", at, w.took, w.err)
			}
		})
	}
}

func TestPC4_AWaitEndsExactlyAtItsDeadline(t *testing.T) {
	t.Parallel()
	for _, at := range instants {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), at)
			defer cancel()
			w := waitingCall(ctx, t, time.Hour, 0)
			if w.took != at || !errors.Is(w.err, context.DeadlineExceeded) || !errors.Is(w.err, idem.ErrInFlight) {
				t.Errorf("with a deadline of %v the call returned after %v with %v", at, w.took, w.err)
			}
			w = waitingCall(t.Context(), t, at, 0)
			if w.took != at || errors.Is(w.err, context.DeadlineExceeded) || !errors.Is(w.err, idem.ErrInFlight) {
				t.Errorf("with MaxWait %v the call returned after %v with %v", at, w.took, w.err)
			}
		})
	}
}

// TestPC4: who has waited for long may find out a little later than who has just come, and a second and a half at the latest.
func TestPC4_AResultIsSeenSoonAfterItIsThere(t *testing.T) {
	t.Parallel()
	for _, at := range instants {
		synctest.Test(t, func(t *testing.T) {
			w := waitingCall(t.Context(), t, time.Hour, at)
			if w.out != "charged" || w.err != nil {
				t.Errorf("got %q, %v", w.out, w.err)
			}
			if late := w.took - at; late < 0 || late > min(1500*time.Millisecond, 30*time.Millisecond+2*at) {
				t.Errorf("stored after %v, the result was seen %v later", at, late)
			}
		})
	}
}

// TestC7: a wait without an end is no endless loop: it looks as often as any other.
func TestC7_AnEndlessWaitLooksNoMoreOftenThanOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := waitingCall(t.Context(), t, 1<<63-1, 24*time.Hour-time.Minute)
		if w.out != "charged" || w.err != nil || w.took > 24*time.Hour {
			t.Errorf("after %v: %q, %v", w.took, w.out, w.err)
		}
		if most := int(w.took/(900*time.Millisecond)) + 30; w.looks > most {
			t.Errorf("%d looks in %v, want %d at most", w.looks, w.took, most)
		}
	})
}
