package catalogue

import (
	"time"

	"github.com/idemgen/idemgen/lab/specimen"
)

type (
	Page[T any] struct {
		Items []T
		Next  *string
	}
	Pair[A, B any] struct {
		A A
		B B
	}
	Optional[T any]   struct{ Value *T }
	Set[T comparable] map[T]struct{}
	Box[T any]        struct{ value T }
	Node[T any]       struct {
		Value T
		Next  *Node[T]
	}
	Wrapped[T any]             struct{ Page[T] }
	PagesOf[T any]             = Page[Page[T]]
	StringSet                  = Set[string]
	Keyed[K comparable, V any] struct{ M map[K]V }
	Slice[T any]               []T
	Defined                    Page[int]
	PairOfPages                struct {
		P Pair[Page[Amount], *Optional[time.Time]]
	}
	// Marshaled has the pair of methods, generic.
	Marshaled[T any] struct{ text string }
)

// MarshalText gives the text.
func (m Marshaled[T]) MarshalText() ([]byte, error) { return []byte(m.text), nil }

// UnmarshalText takes it.
func (m *Marshaled[T]) UnmarshalText(b []byte) error { m.text = string(b); return nil }

var genericTypes = []specimen.Specimen{
	specimen.Of[Page[Receipt]](), specimen.Of[Page[any]](), specimen.Of[Page[func()]](), specimen.Of[Pair[int, string]](), specimen.Of[Pair[string, error]](),
	specimen.Of[Optional[int]](), specimen.Of[Optional[*int]](), specimen.Of[Optional[[]int]](), specimen.Of[Set[string]](), specimen.Of[Set[Cents]](),
	specimen.Of[Set[bool]](), specimen.Of[Box[int]](), specimen.Of[Node[int]](), specimen.Of[Node[Node[string]]](), specimen.Of[Wrapped[Receipt]](),
	specimen.Of[PagesOf[int]](), specimen.Of[StringSet](), specimen.Of[Keyed[string, []int]](), specimen.Of[Keyed[Amount, int]](), specimen.Of[Slice[*Amount]](),
	specimen.Of[Defined](), specimen.Of[PairOfPages](), specimen.Of[Marshaled[int]](), specimen.Of[Page[Marshaled[string]]](), specimen.Of[Page[Box[int]]](),
}
