package idem_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is winners who get what is stored, and so see at once what storage does to it.

// changing is a codec that does not keep what it is given.
type changing struct{ decode func(string) (string, error) }

func (changing) Name() string { return "changing" }

func (changing) Encode(_ idem.Ref, v string) ([]byte, error) { return []byte(v), nil }

func (c changing) Decode(_ idem.Ref, data []byte) (string, error) { return c.decode(string(data)) }

func TestStoredResults_TheWinnerGetsWhatAllOthersGet(t *testing.T) {
	t.Parallel()
	cut := func(v string) (string, error) { return v[:3], nil }
	refuse := func(string) (string, error) { return "half", errors.New("unreadable") }
	exit := func(string) (string, error) { runtime.Goexit(); return "", nil }
	burn := func(string) (string, error) { panic("on fire") }
	for name, c := range map[string]struct {
		decode     func(string) (string, error)
		on         bool
		storeDown  bool
		first      string
		unreadable bool
	}{
		"on":                           {decode: cut, on: true, first: "ran"},
		"off":                          {decode: cut, first: "ran 1"},
		"on, and it can't be stored":   {decode: cut, on: true, storeDown: true, first: "ran"},
		"on, and it can't be read":     {decode: refuse, on: true, unreadable: true},
		"off, and it can't be read":    {decode: refuse, first: "ran 1"},
		"on, and the codec panics":     {decode: burn, on: true, unreadable: true},
		"on, not stored, and not read": {decode: refuse, on: true, storeDown: true, unreadable: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var opts []idem.Option
			if c.on {
				opts = append(opts, idem.WithStoredResults())
			}
			p := newPlay(t, opts...)
			if c.storeDown {
				p.store.Inject(idemtest.StepComplete, idemtest.Fault{Err: &idem.StoreError{Reason: "a refusal", NotApplied: true}})
			}
			ctx, info := idem.WithInfo(t.Context())
			codec := func(op *idem.Operation[string]) { op.Codec = changing{c.decode} }
			out, err := p.pay(ctx, codec)
			if out != c.first || errors.Is(err, idem.ErrUnreadable) != c.unreadable || (err != nil) != c.unreadable || info.Stored == c.storeDown || info.Replayed {
				t.Errorf("the first caller got %q, %v, %+v", out, err, *info)
			}
			if own, ok := idem.LostResult[string](err); ok != c.unreadable || ok && own != "ran 1" {
				t.Errorf("the method's own is said to be %q, %v", own, ok)
			}
			p.eventually("the outcome", func() bool { return p.store.Row(payRow).State == idem.StateDone })
			out, err = p.pay(t.Context(), codec)
			if c.unreadable || name == "off, and it can't be read" {
				if !errors.Is(err, idem.ErrUnreadable) {
					t.Errorf("a later caller got %q, %v", out, err)
				}
			} else if out != "ran" || err != nil {
				t.Errorf("a later caller got %q, %v", out, err)
			}
			if p.runs.Load() != 1 {
				t.Errorf("%d runs", p.runs.Load())
			}
		})
	}
	t.Run("on, and the codec ends the goroutine", func(t *testing.T) {
		p := newPlay(t, idem.WithStoredResults())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = p.pay(context.Background(), func(op *idem.Operation[string]) { op.Codec = changing{exit} })
		}()
		<-done
		if r := p.store.Row(payRow); r.State != idem.StateDone || r.Codec != "changing" {
			t.Errorf("the row is %q, by codec %q", rowText(r), r.Codec)
		}
	})
}

// TestStoredResults_WhatIsNotStoredIsTheMethodsOwn: a tombstone has nothing to give.
func TestStoredResults_WhatIsNotStoredIsTheMethodsOwn(t *testing.T) {
	t.Parallel()
	p := newPlay(t, idem.WithStoredResults(), idem.WithMaxResult(1))
	ctx, info := idem.WithInfo(t.Context())
	if out, err := p.pay(ctx); out != "ran 1" || err != nil || info.Stored {
		t.Errorf("got %q, %v, %+v", out, err, *info)
	}
	void := idem.Operation[idem.Void]{Name: "test.Void"}
	if _, err := idem.Do(t.Context(), p.engine, &void, idem.Call[idem.Void]{Key: idem.StringKey("k"), Run: func(context.Context) (idem.Void, error) {
		return idem.Void{}, nil
	}}); err != nil {
		t.Error(err)
	}
}

// TestStoredResults_ShowsWhatJSONDoesToATime: its monotonic part is gone from the first call on.
func TestStoredResults_ShowsWhatJSONDoesToATime(t *testing.T) {
	t.Parallel()
	p := newPlay(t, idem.WithStoredResults())
	op := idem.Operation[time.Time]{Name: "test.Now"}
	now := time.Now()
	got, err := idem.Do(t.Context(), p.engine, &op, idem.Call[time.Time]{Key: idem.StringKey("k"), Run: func(context.Context) (time.Time, error) {
		return now, nil
	}})
	if err != nil || got == now || !got.Equal(now) { //nolint:staticcheck // the difference is the point
		t.Errorf("got %v, %v", got, err)
	}
}
