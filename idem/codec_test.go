package idem_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is codecs and operations that somebody else wrote, and what they may do in the middle of a call.

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
	op.MaxWait, op.TTL = math.MaxInt64, idem.Forever
	declined := errors.New("declined")
	c := idem.Call[string]{Key: idem.StringKey("k"), Run: func(context.Context) (string, error) { return "", declined }}
	if _, err := idem.Do(t.Context(), p.engine, &op, c); !errors.Is(err, declined) {
		t.Errorf("an endless wait and ttl: %v", err)
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
