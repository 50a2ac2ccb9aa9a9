package idem_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is codecs that wrap others: rows of before and after one was put around another are read, by the rules of the innermost one.

// layer is a codec that turns every byte of another one round. It reads rows of that one as well.
type layer[T any] struct {
	of   idem.Codec[T]
	fail error
}

func (l layer[T]) Name() string { return "layer+" + l.of.Name() }

func (l layer[T]) Encode(ref idem.Ref, v T) ([]byte, error) {
	data, err := l.of.Encode(ref, v)
	return turned(data), err
}

func (l layer[T]) Decode(ref idem.Ref, data []byte) (T, error) { return l.of.Decode(ref, turned(data)) }

func (l layer[T]) Unwrap(_ idem.Ref, name string, data []byte) (idem.Codec[T], string, []byte, error) {
	inner, mine := strings.CutPrefix(name, "layer+")
	if mine {
		data = turned(data)
	}
	return l.of, inner, data, l.fail
}

func turned(data []byte) []byte {
	out := bytes.Clone(data)
	for i := range out {
		out[i] = ^out[i]
	}
	return out
}

func TestUnwrapper_RowsOfBothKindsAreReadWhenACodecIsPutAroundAnother(t *testing.T) {
	t.Parallel()
	json := idem.Codec[receiptV1](idem.JSON[receiptV1]{})
	once := idem.Codec[receiptV1](layer[receiptV1]{of: json})
	twice := idem.Codec[receiptV1](layer[receiptV1]{of: once})
	for name, c := range map[string]struct {
		stores, reads idem.Codec[receiptV1]
		ok            bool
	}{
		"it is put around":             {nil, once, true},
		"so is another":                {once, twice, true},
		"both at once":                 {nil, twice, true},
		"itself":                       {twice, twice, true},
		"it was around more than now":  {twice, once, false},
		"it is taken off without care": {once, nil, false},
	} {
		store := idemtest.NewStore()
		if _, err := called(t, store, idem.Operation[receiptV1]{Name: "shop.Charge", Codec: c.stores}, receiptV1{150}); err != nil {
			t.Fatal(name, err)
		}
		got, err := called(t, store, idem.Operation[receiptV1]{Name: "shop.Charge", Codec: c.reads}, receiptV1{1})
		if c.ok && (err != nil || got.Cents != 150) || !c.ok && (!errors.Is(err, idem.ErrUnreadable) || !strings.Contains(err.Error(), "layer+json")) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestUnwrapper_ShapesAndUpcastsAreThoseOfTheInnermostCodec(t *testing.T) {
	t.Parallel()
	store := idemtest.NewStore()
	wrapped := layer[receiptV1]{of: idem.JSON[receiptV1]{}}
	if _, err := called(t, store, idem.Operation[receiptV1]{Name: "shop.Charge", Codec: wrapped}, receiptV1{150}); err != nil {
		t.Fatal(err)
	}
	op := idem.Operation[receiptV3]{Name: "shop.Charge", Codec: layer[receiptV3]{of: idem.JSON[receiptV3]{}}}
	op.Upcasts = []idem.Upcast[receiptV3]{idem.UpcastFrom(fromV1)}
	if got, err := called(t, store, op, receiptV3{}); err != nil || got.Price != "1.50" {
		t.Errorf("an upcast: %+v, %v", got, err)
	}
	wider := idem.Operation[receiptV2]{Name: "shop.Charge", Codec: layer[receiptV2]{of: idem.JSON[receiptV2]{}}}
	for name, c := range map[string]struct {
		reads idem.Shapes
		ok    bool
	}{
		"whatever decodes":              {nil, true},
		"its own shape only":            {idem.Shapes{hashOf[receiptV2]()}, false},
		"the shape of what was stored ": {idem.Shapes{hashOf[receiptV1]()}, true},
	} {
		wider.Reads = c.reads
		got, err := called(t, store, wider, receiptV2{})
		if c.ok && (err != nil || got.Cents != 150) || !c.ok && (!errors.Is(err, idem.ErrUnreadable) || !strings.Contains(err.Error(), "shape")) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestUnwrapper_OneThatFailsIsUnreadableAndRunsNothing(t *testing.T) {
	t.Parallel()
	secret := errors.New("secret")
	var circle round
	for name, c := range map[string]struct {
		codec  idem.Codec[receiptV1]
		says   string
		hidden bool
	}{
		"with a reason":    {layer[receiptV1]{idem.JSON[receiptV1]{}, idem.Unreadable("it is sealed", secret)}, ": it is sealed (", false},
		"without one":      {layer[receiptV1]{idem.JSON[receiptV1]{}, secret}, "can't be read (", true},
		"round in circles": {circle, "can't be read (", false},
		"by a panic":       {panicking{}, "can't be read (", false},
	} {
		store := idemtest.NewStore()
		stored(t, store, receiptV1{150})
		_, err := called(t, store, idem.Operation[receiptV1]{Name: "shop.Charge", Codec: c.codec}, receiptV1{1})
		if !errors.Is(err, idem.ErrUnreadable) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
		if c.hidden && !errors.Is(err, secret) {
			t.Errorf("%s: %v does not hold the cause", name, err)
		}
	}
}

// round unwraps to itself.
type round struct{ idem.JSON[receiptV1] }

func (r round) Unwrap(_ idem.Ref, name string, data []byte) (idem.Codec[receiptV1], string, []byte, error) {
	return r, name, data, nil
}

type panicking struct{ idem.JSON[receiptV1] }

func (panicking) Unwrap(idem.Ref, string, []byte) (idem.Codec[receiptV1], string, []byte, error) {
	panic("secret")
}

// checked is a codec that says what is wrong with itself.
type checked struct {
	idem.JSON[string]
	wrong error
}

func (c checked) Check() error { return c.wrong }

func TestCodec_OneThatChecksItselfIsAskedBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	with := func(err error) func(*idem.Operation[string]) {
		return func(op *idem.Operation[string]) { op.Codec = checked{wrong: err} }
	}
	if _, err := p.pay(t.Context(), with(errors.New("no key"))); !errors.Is(err, idem.ErrBadOperation) || !strings.Contains(err.Error(), "no key") {
		t.Errorf("got %v", err)
	}
	if p.runs.Load() != 0 || p.store.Calls(idemtest.StepClaim) != 0 {
		t.Error("it ran, or was claimed")
	}
	op := pay
	with(errors.New("no key"))(&op)
	func() {
		defer func() {
			if p, _ := recover().(string); !strings.Contains(p, "no key") {
				t.Errorf("the wrapper's constructor panics with %q", p)
			}
		}()
		idem.CheckCodec(&op)
	}()
	if out, err := p.pay(t.Context(), with(nil)); out != "ran 1" || err != nil {
		t.Errorf("with nothing wrong: %q, %v", out, err)
	}
}

// TestCodec_ItsRefIsTheCalls: a store may leave the key out of the row, and an encrypting codec needs it.
func TestCodec_ItsRefIsTheCalls(t *testing.T) {
	t.Parallel()
	p := newPlay(t)
	var refs []idem.Ref
	op := idem.Operation[string]{Name: pay.Name, Codec: seeing{refs: &refs}}
	call := idem.Call[string]{
		Key: idem.StringKey("k"), Scope: idem.StringKey("tenant"),
		Run: func(context.Context) (string, error) { return "charged", nil },
	}
	want := idem.Ref{Operation: pay.Name, Scope: "tenant", Key: "k"}
	for range 2 {
		if out, err := idem.Do(t.Context(), p.engine, &op, call); out != "charged" || err != nil {
			t.Fatal(out, err)
		}
		p.store.Edit(idem.RowID(want), func(r *idem.Row) { r.Ref.Key = "" })
	}
	if len(refs) != 2 || refs[0] != want || refs[1] != want {
		t.Errorf("refs %v", refs)
	}
}

type seeing struct {
	idem.JSON[string]
	refs *[]idem.Ref
}

func (s seeing) Encode(ref idem.Ref, v string) ([]byte, error) {
	*s.refs = append(*s.refs, ref)
	return s.JSON.Encode(ref, v)
}

func (s seeing) Decode(ref idem.Ref, data []byte) (string, error) {
	*s.refs = append(*s.refs, ref)
	return s.JSON.Decode(ref, data)
}
