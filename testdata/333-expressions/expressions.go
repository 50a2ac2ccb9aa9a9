// Package expressions has keys of all kinds of expressions, and functions with the names of what the output declares.
package expressions

import (
	"context"
	"fmt"
	. "strings"
)

func f(s string) string    { return s }
func w(s string) string    { return s }
func key(s string) string  { return s }
func ctx(s string) string  { return s }
func err(s string) string  { return s }
func res(s string) string  { return s }
func idem(s string) string { return s }

var _ = ToUpper("")

// Pair has fields with the names of parameters.
type Pair struct{ Id, Value string }

// String is how a pair becomes a key.
func (p Pair) String() string { return p.Id }

// Inner is embedded.
type Inner struct{ ID string }

// Outer embeds a pointer.
type Outer struct{ *Inner }

// Of is generic.
type Of[T any] struct{ V T }

func made[A, B any](a A, _ B) string { return fmt.Sprint(a) }

// Keys has them.
//
//idem:wrap
type Keys interface {
	//idem:key f(w(key(ctx(err(res(idem(k)))))))
	//idem:fingerprint f(k), w(k)
	OwnNames(c context.Context, k string) (int, string, error)
	//idem:key Pair{Id: Id, Value: Value}
	Literal(c context.Context, Id, Value string) error
	//idem:key map[string]string{k: v}[k]
	Map(c context.Context, k, v string) error
	//idem:key func(k string) string { return k + v }(k)
	Function(c context.Context, k, v string) error
	//idem:key Join([]string{a, b}, "/")
	DotImport(c context.Context, a, b string) error
	//idem:key o.ID
	Promoted(c context.Context, o Outer) error
	//idem:key o.Inner.ID, o.ID
	PromotedPointer(c context.Context, o *Outer) error
	//idem:key made[int, *Of[string]](n, nil)
	Instance(c context.Context, n int) error
	//idem:key k[1:], k[:], min(k, "z")
	Slices(c context.Context, k string) error
	//idem:key (*p)[0]
	Element(c context.Context, p *[]string) error
	//idem:key [2]string{k, v}[0], Of[string]{V: k}.V
	Arrays(c context.Context, k, v string) error
	//idem:key string([]byte(k))
	Conversion(c context.Context, k string) error
	//idem:key (k)
	Parentheses(c context.Context, k string) error
	//idem:key -n, ^n, n<<1, n|1
	Operators(c context.Context, n int64) error
	//idem:key 'x' + r
	Rune(c context.Context, r rune) error
	//idem:key `raw//, "` + k
	Raw(c context.Context, k string) error
	//idem:key (func(k string) string)(f)(k)
	FunctionType(c context.Context, k string) error
	//idem:key interface{ String() string }(p).String()
	Interface(c context.Context, p Pair) error
	//idem:key Pair.String(p)
	MethodExpression(c context.Context, p Pair) error
	//idem:key (*p).Id
	Dereferenced(c context.Context, p *Pair) error
	//idem:key p
	Pointer(c context.Context, p *Pair) error
}
