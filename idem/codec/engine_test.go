package codec_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/codec"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is the codecs in a running engine: what becomes of calls and rows when they can't do their work.

const row = "k"

var rowRef = idem.Ref{Operation: "shop.Charge", Key: row}

// do calls an operation whose results the codec stores.
func do[T any](t testing.TB, s *idemtest.Store, c idem.Codec[T], run func() (T, error), opts ...idem.Option) (T, error) {
	t.Helper()
	e, err := idem.New(s, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	op := idem.Operation[T]{Name: rowRef.Operation, Codec: c}
	return idem.Do(t.Context(), e, &op, idem.Call[T]{
		Key: idem.StringKey(row), Run: func(context.Context) (T, error) { return run() },
	})
}

// call is one that notes whether its method ran.
func call(t testing.TB, c idem.Codec[receipt], ran *bool) error {
	t.Helper()
	_, err := do(t, idemtest.NewStore(), c, func() (receipt, error) { *ran = true; return receipt{}, nil })
	return err
}

func returns[T any](v T) func() (T, error) { return func() (T, error) { return v, nil } }

func TestEngine_EncryptionIsSwitchedOnAndOffWhileRowsAreThere(t *testing.T) {
	t.Parallel()
	old, next := keyring(t, "a"), keyring(t, "b", "a")
	plain := idem.Codec[receipt](idem.JSON[receipt]{})
	for _, c := range []struct {
		name          string
		stored, reads idem.Codec[receipt]
		ok            bool
	}{
		{"switched on", plain, encrypted(old, codec.AcceptPlaintext()), true},
		{"on", encrypted(old), encrypted(old), true},
		{"the next key", encrypted(old), encrypted(next), true},
		{"switched off", encrypted(next), encrypted(next, codec.StorePlaintext()), true},
		{"off, and back to a process before", encrypted(next, codec.StorePlaintext()), plain, true},
		{"without the option", plain, encrypted(old), false},
		{"to an older process", encrypted(next), encrypted(old), false},
		{"off too early", encrypted(old), plain, false},
	} {
		s := idemtest.NewStore()
		if _, err := do(t, s, c.stored, returns(receipt{"secret-1", 1})); err != nil {
			t.Fatal(c.name, err)
		}
		got, err := do(t, s, c.reads, returns(receipt{"another", 2}))
		switch {
		case c.ok && (err != nil || got != receipt{"secret-1", 1}):
			t.Errorf("%s: %v, %v", c.name, got, err)
		case !c.ok && (!errors.Is(err, idem.ErrUnreadable) || got != receipt{} || strings.Contains(err.Error(), "secret")):
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

func TestEngine_ARowCannotBeMovedToAnotherKey(t *testing.T) {
	t.Parallel()
	s, c := idemtest.NewStore(), encrypted(keyring(t, "a"))
	if _, err := do(t, s, c, returns(receipt{"mine", 1})); err != nil {
		t.Fatal(err)
	}
	data := encode(t, c, idem.Ref{Operation: rowRef.Operation, Key: "another"}, receipt{"another's", 2})
	s.Edit(idem.RowID(rowRef), func(r *idem.Row) { r.Result = data })
	if got, err := do(t, s, c, returns(receipt{"ran again", 3})); !errors.Is(err, idem.ErrUnreadable) || !strings.Contains(err.Error(), "another row's") {
		t.Errorf("%v, %v", got, err)
	}
	s.Edit(idem.RowID(rowRef), func(r *idem.Row) { r.Codec, r.Result = "json", []byte(`{"ID":"forged","Cents":1}`) })
	if got, err := do(t, s, c, returns(receipt{"ran again", 3})); !errors.Is(err, idem.ErrUnreadable) || !strings.Contains(err.Error(), "not encrypted") {
		t.Errorf("%v, %v", got, err)
	}
}

// What a codec can't store after the effect is a tombstone; nothing is released, and nobody runs again.
func TestEngine_WhatCannotBeStoredIsATombstone(t *testing.T) {
	t.Parallel()
	k := &flaky{Keys: keyring(t, "a")}
	loop := &node{}
	loop.Next = loop
	t.Run("encrypted, and too large only so", func(t *testing.T) {
		t.Parallel()
		tombstone(t, encrypted(keyring(t, "a")), receipt{strings.Repeat("x", 70), 1}, idem.WithMaxResult(100))
	})
	t.Run("the key goes away", func(t *testing.T) {
		t.Parallel()
		tombstone(t, codec.Encrypt(k, idem.JSON[receipt]{}), receipt{"charge", 1})
	})
	t.Run("gob of what holds itself", func(t *testing.T) { t.Parallel(); tombstone(t, codec.Gob[*node]{}, loop) })
	t.Run("gob of what is not registered", func(t *testing.T) {
		t.Parallel()
		type secret struct{ A int }
		tombstone(t, codec.Gob[any]{}, any(secret{1}))
	})
	t.Run("gob of a nil element", func(t *testing.T) { t.Parallel(); tombstone(t, codec.Gob[[]*receipt]{}, []*receipt{nil}) })
}

type node struct{ Next *node }

// flaky has its key once, when it is checked.
type flaky struct {
	codec.Keys
	asked int
}

func (f *flaky) Current() (string, []byte, error) {
	if f.asked++; f.asked > 1 {
		return "", nil, errors.New("gone")
	}
	return f.Keys.Current()
}

func tombstone[T any](t *testing.T, c idem.Codec[T], v T, opts ...idem.Option) {
	t.Helper()
	s := idemtest.NewStore()
	if _, err := do(t, s, c, returns(v), opts...); err != nil {
		t.Errorf("the winner gets %v", err)
	}
	if r := s.Row(idem.RowID(rowRef)); r.State != idem.StateDone || r.Codec != "none" || len(r.Result) > 0 {
		t.Errorf("the row is %+v", r)
	}
	ran := false
	again := codec.Succeed(idem.JSON[T]{}) // whatever that is: it is not asked
	if _, err := do(t, s, again, func() (v T, err error) { ran = true; return v, nil }); !errors.Is(err, idem.ErrResultNotStored) || ran {
		t.Errorf("a later caller gets %v; ran: %v", err, ran)
	}
}

func TestSucceed_RowsAreReadByTheCodecThatStoredThem(t *testing.T) {
	t.Parallel()
	gob, json := codec.Gob[receipt]{}, idem.JSON[receipt]{}
	s := idemtest.NewStore()
	if _, err := do[receipt](t, s, gob, returns(receipt{"old", 1})); err != nil {
		t.Fatal(err)
	}
	if got, err := do[receipt](t, s, codec.Succeed(json, gob), returns(receipt{"new", 2})); err != nil || got.ID != "old" {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := do[receipt](t, s, codec.Succeed(gob, json), returns(receipt{"new", 2})); err != nil || got.ID != "old" {
		t.Errorf("and back: %v, %v", got, err)
	}
	if got, err := do[receipt](t, s, codec.Succeed(json, encrypted(keyring(t, "a"))), returns(receipt{"new", 2})); !errors.Is(err, idem.ErrUnreadable) {
		t.Errorf("nobody's: %v, %v", got, err)
	}
	k := keyring(t, "a")
	s = idemtest.NewStore()
	if _, err := do[receipt](t, s, codec.Encrypt(k, gob), returns(receipt{"old", 1})); err != nil {
		t.Fatal(err)
	}
	if got, err := do[receipt](t, s, codec.Encrypt(k, codec.Succeed(json, gob)), returns(receipt{"new", 2})); err != nil || got.ID != "old" {
		t.Errorf("within encryption: %v, %v", got, err)
	}
	if err := codec.Succeed(json, json).Check(); err == nil {
		t.Error("two of one name are not refused")
	}
	if err := codec.Succeed(json, encrypted(nil)).Check(); err == nil {
		t.Error("an unusable older one is not refused")
	}
}

func newStore() *idemtest.Store { return idemtest.NewStore() }
