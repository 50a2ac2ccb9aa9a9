package idem_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the order in which an error of the method is judged: its mark, the operation's rules, and only then what it is;
// and all that says nothing.

// TestClassify_WhatSaysNothing: each of them may come after the effect.
func TestClassify_EachOfTheSilentErrorsSaysNothing(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		context.Canceled, io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed,
		syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED, syscall.ETIMEDOUT,
		idem.ErrOutcomeUnknown, idem.ErrLeaseLost, idem.ErrStore, sqlState("40003"), sqlState("57P03"),
	} {
		t.Run(err.Error(), func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			p.method = func(context.Context, int64) (string, error) { return "", fmt.Errorf("charge: %w", err) }
			_, _ = p.pay(t.Context())
			if p.saw(idem.EventAbandoned) != 1 || p.saw(idem.EventReleased) != 0 {
				t.Error("it was not taken for silence")
			}
		})
	}
}

// TestClassify_AMarkGoesBeforeARuleAndARuleBeforeTheRest: who knows better than the engine has the last word.
func TestClassify_AMarkGoesBeforeARuleAndARuleBeforeTheRest(t *testing.T) {
	t.Parallel()
	refused, declined := fmt.Errorf("refused before it was read: %w", io.EOF), errors.New("declined")
	release := []idem.ErrorRule{idem.ReleaseIs(io.EOF)}
	silence := []idem.ErrorRule{idem.UnknownIs(declined)}
	for name, c := range map[string]struct {
		err      error
		rules    []idem.ErrorRule
		canceled bool // the caller, before the method returned
		released bool
	}{
		"a rule: it releases what says nothing":          {refused, release, false, true},
		"a rule: it releases after the caller's end":     {refused, release, true, true},
		"a rule: it goes before the classifier":          {declined, []idem.ErrorRule{idem.ReleaseIs(declined)}, false, true},
		"a rule: its first match counts":                 {refused, append(release, idem.UnknownIs(io.EOF)), false, true},
		"a rule that says unknown":                       {declined, silence, false, false},
		"a mark: it goes before a rule that releases":    {idem.Unknown(refused), release, false, false},
		"a mark: it goes before a rule that says not":    {idem.NoEffect(declined), silence, false, true},
		"a mark: it releases after the caller's end":     {idem.NoEffect(declined), nil, true, true},
		"a mark: it goes before the classifier":          {idem.NoEffect(declined), nil, false, true},
		"neither, and the classifier says nothing of it": {errors.New("out of stock"), nil, false, true},
		"neither, and the classifier knows it":           {declined, nil, false, false},
		"neither, after the caller's end":                {errors.New("out of stock"), nil, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, idem.WithClassifier(func(err error) bool { return errors.Is(err, declined) }))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p.method = func(context.Context, int64) (string, error) {
				if c.canceled {
					cancel()
				}
				return "", c.err
			}
			_, _ = p.pay(ctx, func(op *idem.Operation[string]) { op.Errors = c.rules })
			if released := p.saw(idem.EventReleased) == 1; released != c.released || p.saw(idem.EventAbandoned) == 1 == c.released {
				t.Errorf("released: %v, want %v", released, c.released)
			}
		})
	}
}

// TestClassify_APlainErrorAfterTheLeaseWasLostSaysNothing: the method was cut off, and may say anything of that.
func TestClassify_APlainErrorAfterTheLeaseWasLostSaysNothing(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	p.method = func(ctx context.Context, _ int64) (string, error) {
		<-ctx.Done()
		return "", errors.New("cut off")
	}
	_, _ = p.pay(t.Context(), func(op *idem.Operation[string]) { op.Lease, op.NoRenew = 100*time.Millisecond, true })
	p.eventually("the loss", func() bool { return p.saw(idem.EventLeaseLost) == 1 })
	if r := p.store.Row(payRow); r.State != idem.StateRunning || !r.Abandoned {
		t.Errorf("the row is %+v", r)
	}
}

// ownEnd is a context that ends before anything derived from it hears of that.
type ownEnd struct {
	context.Context
	ended *bool
}

func (c ownEnd) Err() error {
	if *c.ended {
		return context.Canceled
	}
	return nil
}

// TestClassify_TheCallersEndCountsBeforeTheMethodsContextHears of it: one that is not the standard library's passes it on with a delay.
func TestClassify_TheCallersEndCountsBeforeTheMethodsContextHears(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	ctx := ownEnd{t.Context(), new(bool)}
	p.method = func(mctx context.Context, _ int64) (string, error) {
		*ctx.ended = true
		if mctx.Err() != nil {
			t.Error("the method's context heard of it")
		}
		return "", errors.New("cut off")
	}
	_, _ = p.pay(ctx)
	if p.saw(idem.EventAbandoned) != 1 {
		t.Error("it was not taken for silence")
	}
}
