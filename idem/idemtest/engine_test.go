package idemtest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is engines that end with their tests.

var chargeOp = &idem.Operation[time.Time]{Name: "idemtest.Charge"}

func callOnce(e *idem.Engine, run func(context.Context) (time.Time, error)) (time.Time, error) {
	return idem.Do(context.Background(), e, chargeOp, idem.Call[time.Time]{Key: idem.StringKey("k"), Run: run})
}

func TestNewEngine_TheFirstCallGetsWhatIsStored(t *testing.T) {
	t.Parallel()
	e, now := NewEngine(t, NewStore()), time.Now()
	for range 2 {
		got, err := callOnce(e, func(context.Context) (time.Time, error) { return now, nil })
		if err != nil || got == now || !got.Equal(now) { //nolint:staticcheck // storage takes the monotonic part
			t.Errorf("got %v, %v", got, err)
		}
	}
}

func TestNewEngine_FailsTheTestForWhatIsStillRunning(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]time.Duration{"ends in time": time.Second, "does not": time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			var tb unwatched
			e := NewEngine(&tb, NewStore())
			go func() {
				_, _ = callOnce(e, func(context.Context) (time.Time, error) { time.Sleep(wait); return time.Time{}, nil })
			}()
			synctest.Wait()
			for i := range tb.cleanups {
				if i+1 < len(tb.cleanups) { // but for NoLeaks, which is for goroutines of real time
					tb.cleanups[len(tb.cleanups)-1-i]()
				}
			}
			if failed := tb.errors > 0; failed != (wait == time.Hour) {
				t.Errorf("%s: failed is %v", name, failed)
			}
			time.Sleep(wait)
			synctest.Wait()
		})
	}
}

// unwatched is a test that a test runs.
type unwatched struct {
	testing.TB
	cleanups []func()
	errors   int
}

func (u *unwatched) Helper() {}

func (u *unwatched) Cleanup(f func()) { u.cleanups = append(u.cleanups, f) }

func (u *unwatched) Errorf(string, ...any) { u.errors++ }

func (u *unwatched) Fatal(...any) { u.errors++ }
