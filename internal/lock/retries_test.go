package lock

import (
	"context"
	"errors"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/shape"
)

// This file holds the comparison of arguments to what fingerprints do: a call with the old type is made again with the new one.

// retry is a change of an argument's type, and two values that are the same request.
type retry struct {
	name    string
	was, is any
	same    bool // by what the comparison says, and so of all such values
}

var argumentChanges = []retry{
	{"a number gets wider", int32(-5), int64(-5), true},
	{"a number loses its sign", int64(5), uint8(5), true},
	{"a number becomes a float", 5, 5.0, false},
	{"a number becomes a string", 5, "5", false},
	{"a string gets a name", "red", colour("red"), true},
	{"a value becomes a pointer", ab{1, 2}, &ab{1, 2}, false},
	{"a field is added", ab{1, 2}, abc{A: 1, B: 2}, true},
	{"a field is removed", abc{1, 2, 3}, ab{1, 2}, false},
	{"fields change their order", ab{1, 2}, ba{2, 1}, true},
	{"a list of bytes gets a name", []byte("ab"), colourBytes("ab"), true},
	{"an array becomes a list", [2]int{}, []int{0, 0}, false},
	{"an array gets longer", [2]int{1, 2}, [3]int{1, 2}, false},
	{"an array of bytes becomes a list", [2]byte{}, []byte{0, 0}, false},
	{"an array of bytes gets longer", [2]byte{1, 2}, [3]byte{1, 2}, false},
	{"an array of bytes becomes one of numbers", [2]byte{1, 2}, [2]int16{1, 2}, false},
	{"elements of an array get wider", [2]int8{1, 2}, [2]int16{1, 2}, true},
	{"elements of a list get a field", []ab{{1, 2}}, []abc{{A: 1, B: 2}}, true},
	{"values of a map get wider", map[string]int8{"a": 1}, map[string]int64{"a": 1}, true},
	{"keys of a map become numbers", map[string]int{"1": 1}, map[int]int{1: 1}, false},
	{"a time becomes a number", time.Unix(1, 0), int64(1), false},
	{"a text becomes a string", netip.MustParseAddr("::1"), "::1", false},
	{"a number becomes a big one", 5, big.NewInt(5), false},
	{"what a pointer leads to gets a field", &ab{1, 2}, &abc{A: 1, B: 2}, true},
	{"what a pointer leads to loses a field", &abc{1, 2, 3}, &ab{1, 2}, false},
	{"values of a map lose a field", map[string]abc{"a": {1, 2, 3}}, map[string]ab{"a": {1, 2}}, false},
}

type colourBytes []byte

func TestMismatches_AgreesWithFingerprints(t *testing.T) {
	t.Parallel()
	engine, err := idem.New(idemtest.NewStore())
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	call := func(key string, arg any) error {
		_, err := idem.Do(t.Context(), engine, &idem.Operation[int]{Name: "pay"}, idem.Call[int]{
			Key:  idem.StringKey(key),
			Args: func(f *idem.Fingerprint) { f.Add("arg", arg) },
			Run:  func(context.Context) (int, error) { return 1, nil },
		})
		return err
	}
	for _, r := range argumentChanges {
		argument := func(v any) *Operation {
			return &Operation{Parameters: []string{"arg"}, Arguments: []Argument{{"arg", shape.ArgumentLayout(shape.Of(reflect.TypeOf(v)))}}}
		}
		if said := Mismatches(argument(r.was), argument(r.is)); (len(said) == 0) != r.same {
			t.Errorf("%s: said %v", r.name, said)
		}
		if err := call(r.name, r.was); err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		if err := call(r.name, r.is); errors.Is(err, idem.ErrMismatch) == r.same {
			t.Errorf("%s: the retry gave %v", r.name, err)
		}
	}
}

func TestMismatches_OfParametersThatCome_Go_AndCount(t *testing.T) {
	t.Parallel()
	op := func(parameters, arguments string) *Operation {
		o := &Operation{Parameters: strings.Fields(parameters)}
		for _, name := range strings.Fields(arguments) {
			o.Arguments = append(o.Arguments, Argument{name, layoutOf[string]()})
		}
		return o
	}
	for _, c := range []struct {
		was, is *Operation
		said    string
	}{
		{op("a", "a"), op("a", "a"), ""},
		{op("a", "a"), op("a b", "a b"), ""}, // an old request has no value for it
		{op("a b", "a b"), op("a", "a"), "b no longer counts"},
		{op("a b", "a"), op("a b", "a b"), "b counts now"},
		{op("a", "a"), op("a", "a a.ID"), `"a.ID" counts now`},
		{op("a b", "a b"), op("a c", "a c"), "b is called c now"},
		{op("a b", "a b"), op("b a", "a b"), ""},
		{op("a b", "a b"), op("a b", "b"), "a no longer counts"},
	} {
		var said []string
		for _, change := range Mismatches(c.was, c.is) {
			said = append(said, change.String())
		}
		if strings.Join(said, "; ") != c.said {
			t.Errorf("%v %v: said %q, want %q", c.was.Parameters, c.is.Parameters, said, c.said)
		}
	}
}
