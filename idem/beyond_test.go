package idem_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file holds the runtime to refusing what it can't do, and error rules to what they say.

func TestOperation_WhatThisReleaseCannotDoIsRefusedBeforeAnythingIsClaimed(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	recovers := func(context.Context) (string, bool, error) { return "found", true, nil }
	for name, c := range map[string]struct {
		op   func(*idem.Operation[string])
		call func(*idem.Call[string])
		want string
	}{
		"recover":         {op: func(op *idem.Operation[string]) { op.Takeover = idem.TakeoverRecover }, want: "no Recover to ask"},
		"tx own":          {op: func(op *idem.Operation[string]) { op.Tx = idem.TxOwn }, want: "an idem.Transactor"},
		"tx join":         {op: func(op *idem.Operation[string]) { op.Tx = idem.TxJoin }, want: "an idem.Transactor"},
		"tx optimistic":   {op: func(op *idem.Operation[string]) { op.Tx = idem.TxOptimistic }, want: "an idem.Transactor"},
		"tx, held":        {op: func(op *idem.Operation[string]) { op.Tx, op.Takeover = idem.TxOwn, idem.TakeoverHold }, want: "nothing is left to ask"},
		"tx unknown":      {op: func(op *idem.Operation[string]) { op.Tx = 4 }, want: "none that is known"},
		"final, an end":   {op: rules(idem.FinalIs("context.Canceled", context.Canceled)), want: "interrupted"},
		"final, its kin":  {op: rules(idem.FinalIs("x", fmt.Errorf("x: %w", context.DeadlineExceeded))), want: "interrupted"},
		"final interface": {op: rules(idem.FinalAs[net.Error]()), want: "is an interface"},
		"final, one code": {op: rules(idem.FinalIs("x", io.EOF), idem.FinalIs("x", io.ErrNoProgress)), want: "one code"},
		"final, too long": {op: rules(idem.FinalIs(strings.Repeat("x", 1025), io.EOF)), want: "1 to 1024 bytes"},
		"final, in lines": {op: rules(idem.FinalIs("a\nb", io.EOF)), want: "control characters"},
		"final, no code":  {op: rules(idem.FinalIs("", io.EOF)), want: "code"},
		"no target":       {op: rules(idem.ReleaseIs(nil)), want: "about no error"},
		"no other target": {op: rules(idem.UnknownIs(nil)), want: "about no error"},
		"no final target": {op: rules(idem.FinalIs("x", nil)), want: "about no error"},
		"empty rule":      {op: rules(idem.ErrorRule{}), want: "about no error"},
		"a stray recover": {call: func(c *idem.Call[string]) { c.Recover = recovers }, want: "Recover"},
		"a stray tx":      {call: func(c *idem.Call[string]) { c.Tx = "tx" }, want: "transaction"},
	} {
		op := pay
		call := idem.Call[string]{Key: idem.StringKey("k"), Run: func(context.Context) (string, error) {
			p.runs.Add(1)
			return "", nil
		}}
		if c.op != nil {
			c.op(&op)
		}
		if c.call != nil {
			c.call(&call)
		}
		_, err := idem.Do(t.Context(), p.engine, &op, call)
		if !errors.Is(err, idem.ErrBadOperation) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := p.store.Calls(idemtest.StepClaim); n != 0 || p.runs.Load() != 0 {
		t.Errorf("%d claims, %d runs", n, p.runs.Load())
	}
}

func rules(list ...idem.ErrorRule) func(*idem.Operation[string]) {
	return func(op *idem.Operation[string]) { op.Errors = list }
}

// A nil codec would leave what was to be encrypted to json.
func TestCheckCodec_PanicsWhereTheCodecIsMissingOrHasNoName(t *testing.T) {
	t.Parallel()
	var missing *named
	for name, c := range map[string]struct {
		codec idem.Codec[string]
		want  string
	}{
		"none":                      {nil, "is nil"},
		"a nil pointer":             {missing, "is nil"},
		"one without a name":        {named{name: ""}, "name"},
		"one with the engine's own": {named{name: "void"}, "name"},
		"one that is fine":          {named{name: "mine"}, ""},
		"one behind a pointer":      {&named{name: "mine"}, ""},
	} {
		op := idem.Operation[string]{Name: "test.Codec", Codec: c.codec}
		said := panicOf(func() { idem.CheckCodec(&op) })
		if (said == "") != (c.want == "") || !strings.Contains(said, c.want) || said != "" && !strings.Contains(said, "test.Codec") {
			t.Errorf("%s: %q", name, said)
		}
	}
}

func panicOf(f func()) (said string) {
	defer func() {
		if p := recover(); p != nil {
			said = p.(string)
		}
	}()
	f()
	return ""
}
