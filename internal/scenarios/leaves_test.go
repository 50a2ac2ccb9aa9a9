package scenarios

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file plays all exits: what each leaves in the table, and that it leaves nothing else.

// TestI7_EveryExitLeavesItsRow is the table of how a run ends, for first attempts under all take-over policies and for second
// ones, whose plain errors don't speak for the first.
func TestI7_EveryExitLeavesItsRow(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]func(e exit) string{
		"first":           func(e exit) string { return e.rows.first },
		"recover":         func(e exit) string { return e.rows.recover },
		"hold":            func(e exit) string { return e.rows.hold },
		"second":          func(e exit) string { return e.rows.second },
		"second, recover": func(e exit) string { return e.rows.second },
	} {
		for _, as := range []error{context.Canceled, context.DeadlineExceeded} {
			t.Run(mode+", "+as.Error(), func(t *testing.T) {
				t.Parallel()
				x := newExiting(t)
				for _, e := range exits() {
					x.TB = t
					x.wantRowAfter(e, mode, as, want(e))
				}
			})
		}
	}
}

// wantRowAfter plays one exit and looks at what it left.
func (x *exiting) wantRowAfter(e exit, mode string, as error, want string) {
	x.Helper()
	op, attempt := charge, 1
	switch {
	case mode == "hold":
		op.Takeover = idem.TakeoverHold
	case strings.HasSuffix(mode, "recover"):
		op.Takeover = idem.TakeoverRecover
	}
	if strings.HasPrefix(mode, "second") {
		attempt = 2
		first := exit{method: func(func()) (string, error) { return "", idem.Unknown(errPlain) }}
		if _, _, err := x.play(first, op, e.name, as); !errors.Is(err, errPlain) {
			x.Fatalf("%s: the first attempt got %v", e.name, err)
		}
	}
	left, ran, err := x.play(e, op, e.name, as)
	if left != e.left || ran == (e.before || e.claimed) {
		x.Errorf("%s: left by %q, ran %v, with %v", e.name, left, ran, err)
	}
	if (e.before || e.claimed) && !errors.Is(err, as) {
		x.Errorf("%s: got %v, want %v", e.name, err, as)
	}
	if e.before {
		attempt = 1
	}
	if e.claimed { // it is given back in the background
		x.eventually(e.name+": "+want, func() bool {
			r := x.charged(e.name)
			return r.String() == want && (want == "absent" || r.Attempt == attempt)
		})
		return
	}
	switch r := x.charged(e.name); {
	case r.String() != want:
		x.Errorf("%s: the row is %q, want %q", e.name, r, want)
	case want != "absent" && (r.Attempt != attempt || r.Lapses != e.lapses):
		x.Errorf("%s: the row is %+v; want attempt %d, %d lapses", e.name, r, attempt, e.lapses)
	case e.encode != nil && (r.Codec != "none" || len(r.Result) != 0):
		x.Errorf("%s: the row holds %+v, want a tombstone", e.name, r)
	}
}

// TestI12_NoExitLeavesAnythingBehind: no goroutine (the stage looks), no connection out of the pool, no open transaction, and
// once the engine is shut down, no session.
func TestI12_NoExitLeavesAnythingBehind(t *testing.T) {
	t.Parallel()
	x := newExiting(t)
	x.play(x.renewed(), withLease(time.Second), "renewed", context.Canceled)
	for _, e := range exits() {
		for _, takeover := range []idem.Takeover{idem.TakeoverRerun, idem.TakeoverHold} {
			op := charge
			op.Takeover = takeover
			x.play(e, op, e.name+string(rune('0'+takeover)), context.Canceled)
			x.eventually(e.name+": no connection in use", func() bool { return x.pool.Stat().AcquiredConns() == 0 })
			if n := x.sessions("state LIKE 'idle in transaction%'"); n != 0 {
				t.Errorf("%s: %d transactions are left open", e.name, n)
			}
		}
	}
	if n := x.sessions("true"); n < 2 {
		t.Errorf("%d sessions: not both the pool's and the renewals'", n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := x.engine.Shutdown(ctx); err != nil {
		t.Errorf("something was still going on: %v", err)
	}
	x.pool.Close()
	x.eventually("no session", func() bool { return x.sessions("true") == 0 })
}

func withLease(d time.Duration) idem.Operation[string] {
	op := charge
	op.Lease = d
	return op
}

// renewed returns when the lease of its run was renewed, so that there is a connection for renewals to leave behind.
func (x *exiting) renewed() exit {
	until := func() (at time.Time) {
		x.mustLook("renewed", "lease_until", &at)
		return at
	}
	return exit{method: func(func()) (string, error) {
		for first, giveUp := until(), time.Now().Add(20*time.Second); !until().After(first) && time.Now().Before(giveUp); {
			time.Sleep(5 * time.Millisecond)
		}
		return "x", nil
	}}
}

// sessions counts the server's sessions of the engine's pool and of its renewals.
func (x *exiting) sessions(where string) int {
	x.Helper()
	return x.backends("application_name = 'exiting' AND " + where)
}
