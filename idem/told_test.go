package idem_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is what is told of a call that got no result: to its caller, and to the observers.

// TestError_NamesWhatEndedTheCall: a deadline is no cancellation, and neither is what the caller gave as its cause.
func TestError_NamesWhatEndedTheCall(t *testing.T) {
	t.Parallel()
	why := errors.New("the client hung up")
	canceled, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	late, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Hour))
	defer stop()
	for _, c := range []struct {
		ctx         context.Context
		kind, isNot error
		cause       error
	}{
		{canceled, context.Canceled, context.DeadlineExceeded, why},
		{late, context.DeadlineExceeded, context.Canceled, nil},
	} {
		p := newPlay(t)
		_, err := p.pay(c.ctx)
		var e *idem.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Cause != c.cause || errors.Is(err, c.isNot) { //nolint:errorlint // these very values
			t.Errorf("got %+v, want %v", err, c.kind)
		}
	}
}

// TestMismatch_ARecordOfAnotherVersionSaysSo: the arguments may be the same, and nobody can tell.
func TestMismatch_ARecordOfAnotherVersionSaysSo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func([]byte)
		says   bool
	}{
		"another version":      {func(f []byte) { f[0]++ }, true},
		"only other arguments": {func(f []byte) { f[1]++ }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			_, _ = p.pay(t.Context())
			p.store.Edit(payRow, func(r *idem.Row) { c.change(r.Fingerprint) })
			_, err := p.pay(t.Context())
			var e *idem.Error
			if !errors.As(err, &e) || !errors.Is(err, idem.ErrMismatch) || c.says != (e.Reason != "") || p.saw(idem.EventMismatch) != 1 {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestReplay_AnOutcomeThatCannotBeGivenIsToldWithItsError: an observer would take it for a good replay otherwise.
func TestReplay_AnOutcomeThatCannotBeGivenIsToldWithItsError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit func(*idem.Row)
		kind error
	}{
		"another codec's":    {func(r *idem.Row) { r.Codec = "gob" }, idem.ErrUnreadable},
		"another shape":      {func(r *idem.Row) { r.Result = []byte("{}") }, idem.ErrUnreadable},
		"a stored failure":   {func(r *idem.Row) { r.State, r.Code = idem.StateFailed, "declined" }, idem.ErrUnreadable},
		"without its result": {func(r *idem.Row) { r.Codec = "none" }, idem.ErrResultNotStored},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			_, _ = p.pay(t.Context())
			p.store.Edit(payRow, c.edit)
			ctx, info := idem.WithInfo(t.Context())
			if out, err := p.pay(ctx); out != "" || !errors.Is(err, c.kind) || info.Stored != (c.kind == idem.ErrUnreadable && name != "a stored failure") {
				t.Errorf("got %q, %v, %+v", out, err, info)
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			if last := p.events[len(p.events)-1]; last.Kind != idem.EventReplayed || !errors.Is(last.Err, c.kind) {
				t.Errorf("told was %+v", last)
			}
		})
	}
}
