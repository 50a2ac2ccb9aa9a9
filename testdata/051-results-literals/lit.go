// Package lit has types without names.
package lit

import (
	"context"
	"math"
)

const size = 3

// Lit is all literals.
//
//idem:wrap
//idem:skip *
type Lit interface {
	//idem:key string(id[:])
	Store(ctx context.Context, id [size * 2]byte, at struct {
		X int `json:"x" db:"y"`
		Z []struct{ A string }
	}) ([math.MaxInt8]string, [(2)][1 + 2]int, ['!']bool, struct{ N int }, error)
	Hidden(in struct {
		n int
		error
	}) interface {
		size() int
		String() string
	}
	Channels(in chan (<-chan int), out chan<- func()) (<-chan (chan<- int), func(a, b int) (n int, err error))
	Back(in struct {
		Quote string "json:\"a`b\""
	}) (p *[]map[[2]string]*uintptr)
	Any(any, interface{}, interface{ any }) (comparable complex64)
}
