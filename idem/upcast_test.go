package idem_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/shape"
)

// This file is about outcomes that a program stored whose result had another shape.

type (
	receiptV1 struct{ Cents int64 }
	receiptV2 struct {
		Cents    int64
		Currency string
	}
	receiptV3 struct{ Price string }
)

func hashOf[T any]() string { return shape.Hash(shape.Of(reflect.TypeFor[T]())) }

// stored runs one program's call of the operation, which stores v; later programs share its store.
func stored[T any](t *testing.T, store *idemtest.Store, v T) {
	t.Helper()
	op := idem.Operation[T]{Name: "shop.Charge"}
	if got, err := called(t, store, op, v); err != nil || !reflect.DeepEqual(got, v) {
		t.Fatalf("%+v, %v", got, err)
	}
}

// called calls the operation with an engine of its own. The method returns v, if it runs.
func called[T any](t *testing.T, store *idemtest.Store, op idem.Operation[T], v T) (T, error) {
	t.Helper()
	e, err := idem.New(store)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	return idem.Do(t.Context(), e, &op, idem.Call[T]{
		Key: idem.StringKey("k"), Run: func(context.Context) (T, error) { return v, nil },
	})
}

func price(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

func fromV1(r receiptV1) receiptV3 { return receiptV3{price(r.Cents)} }
func fromV2(r receiptV2) (receiptV3, error) {
	if r.Currency == "" {
		return receiptV3{}, errors.New("secret: no currency")
	}
	return receiptV3{price(r.Cents) + " " + r.Currency}, nil
}

func TestUpcast_AnOlderShapeIsReadByItsFunction(t *testing.T) {
	t.Parallel()
	op := idem.Operation[receiptV3]{
		Name: "shop.Charge", Reads: []string{hashOf[receiptV3]()},
		Upcasts: []idem.Upcast[receiptV3]{idem.UpcastFrom(fromV1), idem.TryUpcastFrom(fromV2, hashOf[receiptV2]())},
	}
	for name, c := range map[string]struct {
		store func(*idemtest.Store)
		want  string
	}{
		"the first":   {func(s *idemtest.Store) { stored(t, s, receiptV1{150}) }, "1.50"},
		"the second":  {func(s *idemtest.Store) { stored(t, s, receiptV2{150, "EUR"}) }, "1.50 EUR"},
		"the present": {func(s *idemtest.Store) { stored(t, s, receiptV3{"1.5"}) }, "1.5"},
		"none":        {func(*idemtest.Store) {}, "the winner's"},
	} {
		store := idemtest.NewStore()
		c.store(store)
		got, err := called(t, store, op, receiptV3{"the winner's"})
		if err != nil || got.Price != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		again, err := called(t, store, op, receiptV3{"another"})
		if err != nil || again != got {
			t.Errorf("%s, again: %+v, %v", name, again, err)
		}
	}
}

// What an older shape was read as by then is read by the same function.
func TestUpcast_ShapesThatWereReadAsTheOldOneAreReadByItsFunctionToo(t *testing.T) {
	t.Parallel()
	store := idemtest.NewStore()
	stored(t, store, receiptV1{150})
	readsV1 := func(r receiptV2) receiptV3 { return receiptV3{price(r.Cents) + r.Currency} }
	op := idem.Operation[receiptV3]{
		Name: "shop.Charge", Reads: []string{hashOf[receiptV3]()},
		Upcasts: []idem.Upcast[receiptV3]{idem.UpcastFrom(readsV1, hashOf[receiptV2](), hashOf[receiptV1]())},
	}
	if got, err := called(t, store, op, receiptV3{}); err != nil || got.Price != "1.50" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestUpcast_ThatFailsMakesTheOutcomeUnreadableAndNothingRuns(t *testing.T) {
	t.Parallel()
	panics := func(receiptV1) receiptV3 { panic("secret") }
	failure := errors.New("secret")
	otherShape := func(struct{ Euros int64 }) receiptV3 { return receiptV3{} }
	for name, c := range map[string]struct {
		upcast idem.Upcast[receiptV3]
		want   string
	}{
		"an error": {idem.TryUpcastFrom(func(receiptV1) (receiptV3, error) { return receiptV3{"half"}, failure }), "its upcast failed"},
		"a panic":  {idem.UpcastFrom(panics), "its upcast panicked"},
		"a function for another shape under this one's hash": {idem.UpcastFrom(otherShape, hashOf[receiptV1]()), ""},
	} {
		store := idemtest.NewStore()
		stored(t, store, receiptV1{150})
		op := idem.Operation[receiptV3]{Name: "shop.Charge", Upcasts: []idem.Upcast[receiptV3]{c.upcast}}
		got, err := called(t, store, op, receiptV3{"ran"})
		if got != (receiptV3{}) {
			t.Errorf("%s: %+v came back", name, got)
		}
		if e, ok := errors.AsType[*idem.Error](err); !ok || e.Cause == nil || (name == "an error") != (e.Cause == failure) {
			t.Errorf("%s: the cause is not the function's own error: %v", name, err)
		}
		if !errors.Is(err, idem.ErrUnreadable) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
		if n := store.Calls(idemtest.StepComplete); n != 1 {
			t.Errorf("%s: %d outcomes were stored", name, n)
		}
	}
}

func TestReads_ARowOfAnotherShapeIsNotReadEvenIfItWouldDecode(t *testing.T) {
	t.Parallel()
	// A newer program took a field away: what it stores decodes here, and lacks the currency.
	store := idemtest.NewStore()
	stored(t, store, receiptV1{150})
	op := idem.Operation[receiptV2]{Name: "shop.Charge"}
	if got, err := called(t, store, op, receiptV2{}); err != nil || got != (receiptV2{150, ""}) {
		t.Errorf("where nobody knows what it reads: %+v, %v", got, err)
	}
	op.Reads = []string{hashOf[receiptV2]()}
	_, err := called(t, store, op, receiptV2{})
	if !errors.Is(err, idem.ErrUnreadable) || !strings.Contains(err.Error(), hashOf[receiptV1]()) || !strings.Contains(err.Error(), hashOf[receiptV2]()) {
		t.Errorf("where it is known: %v", err)
	}
	op.Reads = append(op.Reads, hashOf[receiptV1]())
	if got, err := called(t, store, op, receiptV2{}); err != nil || got != (receiptV2{150, ""}) {
		t.Errorf("where it is among them: %+v, %v", got, err)
	}
}

// A program whose outputs are behind its types reads what it has stored itself.
func TestReads_TheOwnShapeIsAlwaysRead(t *testing.T) {
	t.Parallel()
	store := idemtest.NewStore()
	stored(t, store, receiptV2{150, "EUR"})
	op := idem.Operation[receiptV2]{Name: "shop.Charge", Reads: []string{"0123456789abcdef"}}
	if got, err := called(t, store, op, receiptV2{}); err != nil || got != (receiptV2{150, "EUR"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// What has the present shape is never handed to an upcast, whatever it says that it reads.
func TestUpcast_LeavesThePresentShapeAlone(t *testing.T) {
	t.Parallel()
	store := idemtest.NewStore()
	stored(t, store, receiptV2{150, "EUR"})
	op := idem.Operation[receiptV2]{Name: "shop.Charge", Upcasts: []idem.Upcast[receiptV2]{
		idem.UpcastFrom(func(receiptV1) receiptV2 { return receiptV2{} }, hashOf[receiptV1](), hashOf[receiptV2]()),
	}}
	if got, err := called(t, store, op, receiptV2{}); err != nil || got != (receiptV2{150, "EUR"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// An upcast reads json; what another codec stored is left to that, even if it was of the older type.
func TestUpcast_ReadsWhatJSONStoredOnly(t *testing.T) {
	t.Parallel()
	store := idemtest.NewStore()
	old := idem.Operation[receiptV1]{Name: "shop.Charge", Codec: cents[receiptV1]{}}
	if _, err := called(t, store, old, receiptV1{150}); err != nil {
		t.Fatal(err)
	}
	op := idem.Operation[receiptV2]{Name: "shop.Charge", Codec: cents[receiptV2]{}, Upcasts: []idem.Upcast[receiptV2]{
		idem.UpcastFrom(func(r receiptV1) receiptV2 { return receiptV2{r.Cents, "EUR"} }),
	}}
	if got, err := called(t, store, op, receiptV2{Cents: 7}); err != nil || got != (receiptV2{}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestUpcast_KeepsItsShapes(t *testing.T) {
	t.Parallel()
	store := idemtest.NewStore()
	stored(t, store, receiptV1{150})
	shapes := []string{hashOf[receiptV1]()}
	op := idem.Operation[receiptV3]{Name: "shop.Charge", Reads: []string{}, Upcasts: []idem.Upcast[receiptV3]{idem.UpcastFrom(fromV1, shapes...)}}
	shapes[0] = hashOf[receiptV2]()
	if got, err := called(t, store, op, receiptV3{}); err != nil || got.Price != "1.50" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A row without a shape, and one of the present shape, have nothing to do with older ones, and neither has what is said of them.
func TestReads_RowsOfNoOtherShape(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit func(*idem.Row)
		ok   bool
	}{
		"no shape":                     {func(r *idem.Row) { r.Schema = nil }, true},
		"no shape, and damaged":        {func(r *idem.Row) { r.Schema, r.Result = nil, []byte("{") }, false},
		"the present one, but damaged": {func(r *idem.Row) { r.Result = []byte("{") }, false},
	} {
		store := idemtest.NewStore()
		stored(t, store, receiptV2{150, "EUR"})
		store.Edit(store.Rows()[0].ID, c.edit)
		op := idem.Operation[receiptV2]{Name: "shop.Charge", Reads: []string{hashOf[receiptV1]()}}
		got, err := called(t, store, op, receiptV2{})
		if c.ok && (err != nil || got != receiptV2{150, "EUR"}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if !c.ok && (!errors.Is(err, idem.ErrUnreadable) || strings.Contains(err.Error(), "upcast")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A codec of one's own knows itself what it reads, but what json stored before it can be upcast.
func TestReads_DoesNotSpeakForOtherCodecs(t *testing.T) {
	t.Parallel()
	store := idemtest.NewStore()
	op := idem.Operation[receiptV2]{Name: "shop.Charge", Codec: cents[receiptV2]{}, Reads: []string{}}
	if _, err := called(t, store, op, receiptV2{Cents: 150}); err != nil {
		t.Fatal(err)
	}
	other := idem.Operation[receiptV1]{Name: "shop.Charge", Codec: cents[receiptV1]{}, Reads: []string{}}
	if _, err := called(t, store, other, receiptV1{}); err != nil {
		t.Error(err)
	}
	store = idemtest.NewStore()
	stored(t, store, receiptV1{150})
	op.Upcasts = []idem.Upcast[receiptV2]{idem.UpcastFrom(func(r receiptV1) receiptV2 { return receiptV2{r.Cents, "EUR"} })}
	if got, err := called(t, store, op, receiptV2{}); err != nil || got != (receiptV2{150, "EUR"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// cents is a codec that stores nothing but its name.
type cents[T any] struct{}

func (cents[T]) Name() string                             { return "cents" }
func (cents[T]) Encode(idem.Ref, T) ([]byte, error)       { return []byte{}, nil }
func (cents[T]) Decode(idem.Ref, []byte) (v T, err error) { return v, nil }
