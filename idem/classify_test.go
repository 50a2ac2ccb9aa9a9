package idem_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/idemgen/idemgen/idem"
)

// This file is errors that say nothing about the effect, however they say it.

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
