package idem_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file holds what once broke the engine.

func TestShutdown_EndsTheSweeper(t *testing.T) {
	t.Parallel()
	e, err := idem.New(idemtest.NewStore(), idem.WithSweep(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := e.Shutdown(ctx); err != nil {
		t.Errorf("an idle engine's shutdown says %v", err)
	}
}

// TestLease_SlowClaim: a claim whose answer took most of the lease starts its method, and then keeps the lease.
func TestLease_ASlowClaimsLeaseIsRenewedBeforeItIsOver(t *testing.T) {
	t.Parallel()
	for _, percent := range []int{10, 50, 65, 75, 85, 89, 95} {
		t.Run(fmt.Sprint(percent), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const lease = 10 * time.Second
				store := slow{idemtest.NewStore(), lease * time.Duration(percent) / 100}
				e, err := idem.New(store, idem.WithStoreTimeout(time.Hour))
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close()
				out, err := idem.Do(t.Context(), e, &idem.Operation[string]{Name: "test.Slow", Lease: lease}, idem.Call[string]{
					Key: idem.StringKey("k"),
					Run: func(ctx context.Context) (string, error) {
						select {
						case <-ctx.Done():
							return "", context.Cause(ctx)
						case <-time.After(5 * lease):
							return "kept", nil
						}
					},
				})
				if out != "kept" || err != nil {
					t.Errorf("got %q, %v", out, err)
				}
			})
		})
	}
}

// slow is a store whose answer to a claim is long on its way.
type slow struct {
	*idemtest.Store
	delay time.Duration
}

func (s slow) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	row, err := s.Store.Claim(ctx, c)
	time.Sleep(s.delay)
	return row, err
}

// TestClassify: what is inside an error counts, however it is wrapped.
func TestClassify_ATimeoutAnywhereInAnErrorSaysNothing(t *testing.T) {
	t.Parallel()
	declined, timeout := errors.New("declined"), &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}
	quiet := &url.Error{Op: "Post", URL: "u", Err: fmt.Errorf("transport: %w", slowNet{})}
	for name, c := range map[string]struct {
		err      error
		released bool
	}{
		"plain":                                     {declined, true},
		"connection refused":                        {&net.OpError{Op: "dial", Err: errors.New("refused")}, true},
		"below a net.Error that is no timeout":      {quiet, false},
		"joined after one that is no timeout":       {errors.Join(&net.OpError{Op: "dial", Err: declined}, timeout), false},
		"wrapped twice":                             {fmt.Errorf("charge: %w (%w)", declined, context.DeadlineExceeded), false},
		"joined marks: unknown outweighs none":      {errors.Join(idem.NoEffect(declined), idem.Unknown(declined)), false},
		"joined with silence: it outweighs none":    {errors.Join(idem.NoEffect(declined), timeout), false},
		"joined with a plain one: the mark counts":  {errors.Join(idem.NoEffect(declined), declined), true},
		"an HTTP client's, not connected":           {&url.Error{Op: "Post", URL: "u", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}, true},
		"an HTTP client's, a timeout on connecting": {&url.Error{Op: "Post", URL: "u", Err: &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}}, false},
		"an HTTP client's, connected":               {&url.Error{Op: "Post", URL: "u", Err: errors.New("server closed the connection")}, false},
		"pgx: perhaps sent":                         {fmt.Errorf("commit: %w", retry(false)), false},
		"pgx: certainly not sent":                   {fmt.Errorf("begin: %w", retry(true)), true},
		"the database ended the session":            {fmt.Errorf("commit: %w", sqlState("57P01")), false},
		"the database lost the connection":          {sqlState("08006"), false},
		"the database refused":                      {sqlState("23505"), true},
		"a mark around a timeout counts":            {idem.NoEffect(fmt.Errorf("before sending: %w", timeout)), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			p.method = func(context.Context, int64) (string, error) { return "", c.err }
			_, _ = p.pay(t.Context())
			if released := p.saw(idem.EventReleased) == 1; released != c.released || p.saw(idem.EventAbandoned) == 1 == c.released {
				t.Errorf("released: %v, want %v", released, c.released)
			}
		})
	}
}

type retry bool

func (retry) Error() string       { return "conn closed" }
func (r retry) SafeToRetry() bool { return bool(r) }

type sqlState string

func (s sqlState) Error() string    { return string(s) }
func (s sqlState) SQLState() string { return string(s) }

// TestClassify_HTTP2: a stream that is reset after the request was handled, in front of a real client.
func TestClassify_AResetHTTP2StreamSaysNothing(t *testing.T) {
	t.Parallel()
	for name, early := range map[string]bool{"before the answer": true, "in the body": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if !early {
					w.WriteHeader(http.StatusOK)
					_ = http.NewResponseController(w).Flush()
				}
				panic(http.ErrAbortHandler) // charged, and then this
			}))
			server.EnableHTTP2 = true
			server.StartTLS()
			defer server.Close()
			p := newPlay(t)
			p.method = func(ctx context.Context, _ int64) (string, error) {
				answer, err := server.Client().Get(server.URL)
				if err != nil {
					return "", err
				}
				defer answer.Body.Close()
				_, err = io.ReadAll(answer.Body)
				return "", err
			}
			_, err := p.pay(t.Context())
			if err == nil || p.saw(idem.EventAbandoned) != 1 {
				t.Errorf("%v (%T) was not taken for silence", err, err)
			}
			server.Client().CloseIdleConnections()
		})
	}
}

type slowNet struct{}

func (slowNet) Error() string   { return "awaiting headers" }
func (slowNet) Timeout() bool   { return true }
func (slowNet) Temporary() bool { return true }

// TestRelease_Evidence: an earlier attempt may have charged; a later one that is refused does not prove that it did not.
func TestRelease_APlainErrorOfALaterAttemptKeepsWhatIsKnownOfEarlierOnes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		state idem.State
	}{
		"a plain error": {errors.New("503"), idem.StateRunning}, "NoEffect speaks for them too": {idem.NoEffect(errors.New("never seen")), idem.StateAbsent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			p.method = func(_ context.Context, run int64) (string, error) {
				if run == 1 {
					return "", idem.Unknown(errors.New("gateway timeout"))
				}
				return "", c.err
			}
			_, _ = p.pay(t.Context())
			_, _ = p.pay(t.Context())
			if r := p.store.Row(payRow); r.State != c.state || r.State == idem.StateRunning && (r.Attempt != 2 || !r.Abandoned) {
				t.Errorf("the row is %+v", r)
			}
		})
	}
}

// TestCodec: a codec can't end a run in the middle, nor change it later.
func TestCodec_OneThatLeavesInTheMiddleLeavesATombstoneAndNoLease(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	op := pay
	op.Codec = leaving{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = idem.Do(t.Context(), p.engine, &op, idem.Call[string]{
			Key: idem.StringKey("k"), Run: func(context.Context) (string, error) { return "charged", nil },
		})
		t.Error("the call returned")
	}()
	<-done
	if r := p.store.Row(payRow); r.State != idem.StateDone || r.Codec != "none" {
		t.Errorf("the row is %+v", r)
	}
	renewals := p.store.Calls(idemtest.StepRenew)
	if err := p.engine.Shutdown(t.Context()); err != nil || p.store.Calls(idemtest.StepRenew) > renewals+1 {
		t.Errorf("%v, and the lease goes on", err)
	}
}

type leaving struct{ idem.JSON[string] }

func (leaving) Encode(idem.Ref, string) ([]byte, error) { runtime.Goexit(); return nil, nil }

func TestCodec_ResultsStoredLaterDoNotShareTheCallersMemory(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	down := p.store.Inject(idemtest.StepComplete, idemtest.Fault{Times: idemtest.Always})
	op := &idem.Operation[[]byte]{Name: pay.Name, Codec: raw{}}
	c := idem.Call[[]byte]{Key: idem.StringKey("k"), Run: func(context.Context) ([]byte, error) { return []byte("charged"), nil }}
	out, err := idem.Do(t.Context(), p.engine, op, c)
	if err != nil {
		t.Fatal(err)
	}
	copy(out, "changed")
	down.Stop()
	p.eventually("the outcome", func() bool { return p.saw(idem.EventCompleted) == 1 })
	if out, err := idem.Do(t.Context(), p.engine, op, c); string(out) != "charged" || err != nil {
		t.Errorf("the replay is %q, %v", out, err)
	}
}

type raw struct{}

func (raw) Name() string                                   { return "raw" }
func (raw) Encode(_ idem.Ref, v []byte) ([]byte, error)    { return v, nil }
func (raw) Decode(_ idem.Ref, data []byte) ([]byte, error) { return append([]byte(nil), data...), nil }

func TestClose_LeavesNoLeaseOfAnOutcomeThatCouldNotBeStored(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.store.Inject(idemtest.StepComplete, idemtest.Fault{Times: idemtest.Always})
	gate := idemtest.NewGate(t)
	p.method = func(ctx context.Context, _ int64) (string, error) {
		return "charged", gate.Enter(context.WithoutCancel(ctx))
	}
	done := make(chan error, 1)
	go func() {
		_, err := p.pay(t.Context(), func(op *idem.Operation[string]) { op.Lease = 200 * time.Millisecond })
		done <- err
	}()
	gate.Await(t, 1)
	if err := p.engine.Close(); err != nil {
		t.Fatal(err)
	}
	gate.Open()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	renewals := p.store.Calls(idemtest.StepRenew) // NoLeaks sees a renewer that goes on
	p.eventually("the lease's end", func() bool { return p.store.Row(payRow).Lapsed })
	if n := p.store.Calls(idemtest.StepRenew); n > renewals+1 {
		t.Errorf("%d renewals after the call", n-renewals)
	}
}

func TestClaim_OneThatHangsEndsWithTheStoreTimeout(t *testing.T) {
	t.Parallel()
	for _, step := range []idemtest.Step{idemtest.StepClaim, idemtest.StepTakeOver} {
		t.Run(string(step), func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, idem.WithStoreTimeout(150*time.Millisecond))
			if step == idemtest.StepTakeOver {
				p.method = func(context.Context, int64) (string, error) { return "", context.Canceled }
				_, _ = p.pay(t.Context())
			}
			gate := idemtest.NewGate(t)
			p.store.Inject(step, idemtest.Fault{Do: idemtest.LoseAnswer, Times: idemtest.Always, Gate: gate})
			runs := p.runs.Load()
			_, err := p.pay(context.WithoutCancel(t.Context()), conflicting)
			if !errors.Is(err, idem.ErrStore) || p.runs.Load() != runs {
				t.Errorf("got %v, %d runs", err, p.runs.Load()-runs)
			}
		})
	}
}

func TestReentrant_NotAfterTheRunHasEnded(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	var kept context.Context
	p.method = func(ctx context.Context, _ int64) (string, error) {
		kept = context.WithoutCancel(ctx) // for a job that goes on
		return "charged", nil
	}
	_, _ = p.pay(t.Context())
	if out, err := p.pay(kept); out != "charged" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestResult_InvalidUTF8IsNeverReplayedAsSomethingElse(t *testing.T) {
	t.Parallel()
	for text, stored := range map[string]bool{"a\xff": false, "\ufffd": true, `\ufffd`: true, `\\ufffd`: true, "a\xffb\ufffd": false, "ok": true} {
		p := newPlay(t)
		p.method = func(context.Context, int64) (string, error) { return text, nil }
		ctx, info := idem.WithInfo(t.Context())
		if out, err := p.pay(ctx); out != text || err != nil || info.Stored != stored {
			t.Errorf("%q: got %q, %v, %+v", text, out, err, info)
		}
		out, err := p.pay(t.Context())
		if stored && (out != text || err != nil) || !stored && !errors.Is(err, idem.ErrResultNotStored) {
			t.Errorf("%q: the replay is %q, %v", text, out, err)
		}
	}
}

func TestOperation_ExtremesAreRefusedOrBearable(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	if _, err := p.pay(t.Context(), func(op *idem.Operation[string]) { op.Lease = math.MaxInt64 }); !errors.Is(err, idem.ErrBadOperation) {
		t.Errorf("an endless lease: %v", err)
	}
	op := pay
	op.MaxWait, op.TTL, op.Errors = math.MaxInt64, idem.Forever, []idem.ErrorRule{{}}
	declined := errors.New("declined")
	c := idem.Call[string]{Key: idem.StringKey("k"), Run: func(context.Context) (string, error) { return "", declined }}
	if _, err := idem.Do(t.Context(), p.engine, &op, c); !errors.Is(err, declined) {
		t.Errorf("an empty rule: %v", err)
	}
	op.Codec = named{name: "a\x00"}
	if _, err := idem.Do(t.Context(), p.engine, &op, c); !errors.Is(err, idem.ErrBadOperation) {
		t.Errorf("a codec's unusable name: %v", err)
	}
	for _, origin := range []string{"a\x00", "\xff", strings.Repeat("x", 256)} {
		if _, err := idem.New(p.store, idem.WithOrigin(origin)); err == nil {
			t.Errorf("origin %.5q is taken", origin)
		}
	}
}

type named struct {
	idem.JSON[string]
	name string
}

func (n named) Name() string { return n.name }

// TestHold_LateOwner: somebody held the row as unknown while its owner was alive, who then says what happened.
func TestHold_ALateOwnerWhoKnowsSettlesWhatWasHeld(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		state idem.State
	}{
		"no effect": {idem.NoEffect(errors.New("declined")), idem.StateAbsent},
		"unknown":   {idem.Unknown(errors.New("timeout")), idem.StateUnknown},
		"done":      {nil, idem.StateDone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			var owner idem.Owner
			p.method = func(context.Context, int64) (string, error) {
				p.store.Edit(payRow, func(r *idem.Row) { r.State, owner = idem.StateUnknown, r.Owner })
				return "charged", c.err
			}
			_, err := p.pay(t.Context(), func(op *idem.Operation[string]) { op.Takeover = idem.TakeoverHold })
			if !errors.Is(err, c.err) || p.saw(idem.EventFenced) != 0 {
				t.Errorf("got %v, %d fenced", err, p.saw(idem.EventFenced))
			}
			r := p.store.Row(payRow)
			if r.State != c.state || c.state == idem.StateUnknown && r.Owner == owner {
				t.Errorf("the row is %+v", r)
			}
		})
	}
}

func TestLease_ShortOnesDoNotCostLongOnesTheirs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := slowRenewals{idemtest.NewStore()}
		e, err := idem.New(store, idem.WithStoreTimeout(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		run := func(key string, lease time.Duration) error {
			_, err := idem.Do(t.Context(), e, &idem.Operation[string]{Name: "test.Lease", Lease: lease}, idem.Call[string]{
				Key: idem.StringKey(key),
				Run: func(ctx context.Context) (string, error) {
					select {
					case <-ctx.Done():
						return "", context.Cause(ctx)
					case <-time.After(time.Minute):
						return "kept", nil
					}
				},
			})
			return err
		}
		done := make(chan error)
		go func() { done <- run("long", 15*time.Second) }()
		for range 60 { // one after another, each too short for this store
			_ = run("short", time.Second)
		}
		if err := <-done; err != nil {
			t.Errorf("the long one got %v", err)
		}
	})
}

// slowRenewals takes a second and a half for a renewal.
type slowRenewals struct{ *idemtest.Store }

func (s slowRenewals) Renew(ctx context.Context, leases []idem.Lease) ([]idem.Renewal, error) {
	select {
	case <-time.After(1500 * time.Millisecond):
		return s.Store.Renew(ctx, leases)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestGiveBack: the call was about to look at its claim again when its context ended; what it had won must not stay behind.
func TestGiveBack_AClaimThatWasToBeLookedAtAgain(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	ctx, cancel := context.WithCancel(t.Context())
	p.with(busy{slow{p.store, 120 * time.Millisecond}, cancel})
	_, err := p.pay(ctx, func(op *idem.Operation[string]) { op.Lease, op.Takeover = 100*time.Millisecond, idem.TakeoverHold })
	if !errors.Is(err, context.Canceled) || p.runs.Load() != 0 {
		t.Errorf("got %v after %d runs", err, p.runs.Load())
	}
	p.eventually("the release", func() bool { return p.saw(idem.EventReleased) == 1 })
	if r := p.store.Row(payRow); r.State != idem.StateAbsent {
		t.Errorf("the row is %+v", r)
	}
}

// busy is a store whose rows are locked by others when they are to be renewed.
type busy struct {
	slow
	asked func()
}

func (b busy) Renew(context.Context, []idem.Lease) ([]idem.Renewal, error) {
	b.asked()
	return []idem.Renewal{idem.RenewalLocked}, nil
}
