package annotated

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// desk fails with err, and counts.
type desk struct {
	err  error
	runs int
}

func (d *desk) Pay(context.Context, string) (int, error) {
	d.runs++
	return d.runs, d.err
}

// What an annotation calls final is stored, and comes back as it was; other errors are not stored.
func TestErrors_FinalOnesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	for name, c := range map[string]struct {
		err   error
		final bool
		as    error // what errors.As finds in it
	}{
		"the interface's, by value": {ErrDeclined, true, nil},
		"wrapped":                   {fmt.Errorf("pay: %w", ErrDeclined), true, nil},
		"by type, with another":     {&wrap{Overdrawn{7, ErrDeclined}}, true, Overdrawn{7, ErrDeclined}},
		"the method's":              {&url.Error{Op: "Post", URL: "x", Err: ErrDeclined}, true, &url.Error{Op: "Post", URL: "x", Err: ErrDeclined}},
		"of no class":               {ErrGateway, false, nil},
		"marked":                    {idem.Final(ErrGateway), true, nil},
	} {
		d := &desk{err: c.err}
		p := NewIdempotentDesk(d, engine)
		_, first := p.Pay(t.Context(), name)
		_, again := p.Pay(t.Context(), name)
		if runs := map[bool]int{true: 1, false: 2}[c.final]; d.runs != runs || idem.Replayed(first) || idem.Replayed(again) != c.final {
			t.Errorf("%s: %d runs, %v, then %v", name, d.runs, first, again)
		}
		if again.Error() != c.err.Error() || errors.Is(again, ErrDeclined) != errors.Is(c.err, ErrDeclined) || c.final && errors.Is(again, ErrGateway) {
			t.Errorf("%s: got %v", name, again)
		}
		if c.as != nil {
			into := reflect.New(reflect.TypeOf(c.as))
			if !errors.As(again, into.Interface()) || !reflect.DeepEqual(into.Elem().Interface(), c.as) {
				t.Errorf("%s: holds %#v, held %#v", name, into.Elem(), c.as)
			}
		}
	}
}

type wrap struct{ err error }

func (w *wrap) Error() string { return "wrapped: " + w.err.Error() }
func (w *wrap) Unwrap() error { return w.err }

func newEngine(t *testing.T) *idem.Engine {
	t.Helper()
	engine, err := idem.New(idemtest.NewStore())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	return engine
}

// shelf has nothing.
type shelf[V any] struct{ what V }

func (s shelf[V]) Take(context.Context, string, V) (int, error) {
	return 0, &NotFound[V]{s.what}
}

// A generic wrapper knows the errors of its instance, also where that is one that is named besides; and refuses one that would lose its data.
func TestErrors_OfAGenericWrapperAreThoseOfItsInstance(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	texts, numbers := NewIdempotentShelf(shelf[string]{"a"}, engine), NewIdempotentShelf(shelf[int]{5}, engine)
	for range 2 {
		_, err := texts.Take(t.Context(), "k", "")
		if n, ok := errors.AsType[*NotFound[string]](err); !ok || n.What != "a" {
			t.Errorf("got %v", err)
		}
		_, err = numbers.Take(t.Context(), "k", 0)
		if n, ok := errors.AsType[*NotFound[int]](err); !ok || n.What != 5 {
			t.Errorf("got %v", err)
		}
	}
	if said := panicOf(func() { NewIdempotentShelf(shelf[any]{}, engine) }); !strings.Contains(said, "Shelf[interface{}].Take") || !strings.Contains(said, "NotFound[interface {}].What") {
		t.Errorf("a wrapper whose errors can't be stored: %s", said)
	}
}
