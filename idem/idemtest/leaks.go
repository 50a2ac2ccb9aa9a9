package idemtest

import (
	"bytes"
	"context"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// This file says whether a test left goroutines behind. It tells a test's own from those of its neighbours by a profiler
// label, which a goroutine inherits from the one that starts it; so tests that use it may be parallel.

const leakLabel = "idemtest.NoLeaks"

var leakTests atomic.Int64

// NoLeaks fails the test when a goroutine that was started after this call, by the test's goroutine or one that came from
// it, is still there at the test's end, once its later clean-ups have run. Goroutines get some time to end. Those that a
// timer starts (time.AfterFunc), and those whose labels something else replaced, are not seen.
func NoLeaks(t testing.TB) {
	t.Helper()
	noLeaks(t, patience/3)
}

func noLeaks(t testing.TB, wait time.Duration) {
	number := strconv.FormatInt(leakTests.Add(1), 10)
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(leakLabel, number)))
	t.Cleanup(func() {
		pprof.SetGoroutineLabels(context.Background())
		if left := awaitNone(number, wait); left != "" {
			t.Errorf("goroutines stayed behind:\n%s", left)
		}
	})
}

// awaitNone waits until no goroutine has the label, and returns the stacks of those that keep it for too long. The end of a
// goroutine is no event that one could wait for, so it looks again and again.
func awaitNone(number string, wait time.Duration) (left string) {
	deadline := time.Now().Add(wait)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		if left = labelled(number); left == "" || time.Now().After(deadline) {
			return left
		}
		time.Sleep(pause)
	}
}

// labelled returns the stacks of the goroutines with the label.
func labelled(number string) string {
	label := strconv.Quote(leakLabel) + ":" + strconv.Quote(number)
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return err.Error()
	}
	var found []string
	for stack := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(stack, label) {
			found = append(found, stack)
		}
	}
	return strings.Join(found, "\n\n")
}
