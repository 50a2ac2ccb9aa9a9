// Package replay drives generated wrappers: it calls each method several times through an engine with a store in memory, and compares
// what arrives at the wrapped value, and what comes back, with what should.
package replay

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// Recorder stands behind a wrapper: it notes the arguments of each call and returns what it was told to.
type Recorder struct {
	calls   [][]any
	results []any
	err     error
}

// Called notes a call.
func (r *Recorder) Called(args ...any) { r.calls = append(r.calls, args) }

// Result is the i-th result of the present call; zero where that is another method's, which is asked beside it.
func Result[T any](r *Recorder, i int) (v T) {
	if i < len(r.results) {
		v, _ = r.results[i].(T)
	}
	return v
}

// Err is the error of the present call.
func (r *Recorder) Err() error { return r.err }

// Value is any value, in packages with an any of their own.
type Value = any

// Method is a method of a wrapper.
type Method struct {
	Name    string
	Func    func(*idem.Engine) Value // the method value of a new wrapper
	Keyed   bool
	Claimed bool  // its context carries the claim
	Asked   bool  // another method is asked before a retry
	Lossy   bool  // its result is known not to survive
	Partial bool  // not all arguments count
	Except  []int // those that don't
	Samples []any // values of types that can't be invented
}

// mark is what the caller's context carries, to find it again behind the wrapper.
type mark struct{}

// Run calls m.
func Run(t *testing.T, r *Recorder, m Method) {
	t.Run(m.Name, func(t *testing.T) {
		d := &driver{T: t, r: r, m: m}
		d.renew()
		if m.Keyed {
			d.keyed()
		} else {
			d.forwarded()
		}
	})
}

type driver struct {
	*testing.T
	r *Recorder
	m Method
	f reflect.Value
}

// renew takes a wrapper whose engine has seen no key yet.
func (d *driver) renew() {
	e, err := idem.New(idemtest.NewStore(), idem.WithFingerprintKey([]byte("some arguments are secret")))
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { _ = e.Close() })
	d.f = reflect.ValueOf(d.m.Func(e))
}

// outcome is what a call gave.
type outcome struct {
	results []reflect.Value
	err     error
	ran     [][]any // the calls that arrived
}

func (d *driver) call(args []reflect.Value) (o outcome) {
	d.Helper()
	before := len(d.r.calls)
	if d.f.Type().IsVariadic() {
		o.results = d.f.CallSlice(args)
	} else {
		o.results = d.f.Call(args)
	}
	o.ran = d.r.calls[before:]
	if n := len(o.results); d.m.Keyed {
		o.err, _ = o.results[n-1].Interface().(error)
		o.results = o.results[:n-1]
	}
	return o
}

// will sets what the wrapped method returns.
func (d *driver) will(f filler, err error) {
	d.r.results, d.r.err = nil, err
	for i := range d.f.Type().NumOut() {
		d.r.results = append(d.r.results, d.invent(d.f.Type().Out(i), f.of(i)).Interface())
	}
}

func (d *driver) args(f filler) (args []reflect.Value) {
	for i := range d.f.Type().NumIn() {
		args = append(args, d.invent(d.f.Type().In(i), f.of(i)))
	}
	return args
}

// forwarded: each call arrives, with the very arguments, and its results come back.
func (d *driver) forwarded() {
	for n := range 2 {
		f := filler{seed: n + 1, style: full}
		d.will(f, nil)
		args := d.args(f)
		o := d.call(args)
		if len(o.ran) != 1 {
			d.Fatalf("call %d arrived %d times", n+1, len(o.ran))
		}
		for i, arg := range args {
			if !same(arg, reflect.ValueOf(o.ran[0][i])) {
				d.Errorf("argument %d arrived as %v, not %v", i, o.ran[0][i], arg)
			}
		}
		d.compareResults(o)
	}
}

// keyed: for full, nil and empty values, the first call runs and the second replays.
func (d *driver) keyed() {
	replayed := 0
	for s, style := range []style{full, nils, empties} {
		d.renew()
		if d.once(filler{seed: 10 * (s + 1), style: style}) {
			replayed++
		}
	}
	if replayed == 0 {
		d.Error("no kind of value had a key")
	}
	d.renew()
	d.failing(filler{seed: 50, style: full})
	for i := range d.f.Type().NumIn() {
		d.differing(i)
	}
	for _, i := range d.m.Except {
		d.excepted(i)
	}
	d.another()
}

// once reports whether the values had a key.
func (d *driver) once(f filler) bool {
	d.will(f, nil)
	want := d.r.results
	args := d.args(f)
	first, panicked := d.try(args)
	if panicked || errors.Is(first.err, idem.ErrNoKey) || errors.Is(first.err, idem.ErrBadKey) {
		if f.style == full {
			d.Errorf("no key in full values: %v", first.err)
		}
		if len(first.ran) > 0 {
			d.Error("the method ran without a key")
		}
		return false
	}
	if first.err != nil || len(first.ran) != 1 {
		d.Fatalf("the first call gave %v and arrived %d times", first.err, len(first.ran))
	}
	d.compareArguments(args, first.ran[0])
	d.compareResults(first)
	d.will(filler{seed: f.seed + 5, style: full}, nil) // what a second run would return
	again := d.call(d.args(f))
	if again.err != nil || len(again.ran) != 0 {
		d.Fatalf("the second call gave %v and arrived %d times", again.err, len(again.ran))
	}
	d.r.results = want
	d.compareResults(again)
	for i, r := range again.results {
		if shared(r, first.results[i]) {
			d.Errorf("result %d of the replay shares its memory with the first", i)
		}
	}
	return true
}

// try is call for values that an index or a type assertion in a key expression may not like. A nil pointer is no key, and no panic.
func (d *driver) try(args []reflect.Value) (o outcome, panicked bool) {
	before := len(d.r.calls)
	defer func() {
		if p := recover(); p != nil {
			e, ok := p.(runtime.Error)
			if !ok || len(d.r.calls) > before || strings.Contains(e.Error(), "nil pointer") {
				panic(p)
			}
			panicked = true
		}
	}()
	return d.call(args), false
}

// failing: an error of the method comes back alone, and a retry runs.
func (d *driver) failing(f filler) {
	failure := errors.New("refused")
	d.will(f, failure)
	o := d.call(d.args(f))
	if o.err != failure {
		d.Errorf("the method's error came back as %v", o.err)
	}
	for i, r := range o.results {
		if !r.IsZero() {
			d.Errorf("result %d is not zero beside an error", i)
		}
	}
	d.r.err = nil
	args, arrivals := d.args(f), 1
	if d.m.Asked {
		arrivals = 2 // first at the method that is asked
	}
	if o = d.call(args); errors.Is(o.err, idem.ErrOutcomeUnknown) {
		return // the method's takeover policy is to hold
	}
	if idem.Replayed(o.err) && o.err.Error() == failure.Error() && len(o.ran) == 0 {
		return // all of the method's errors are final
	}
	if o.err != nil || len(o.ran) != arrivals {
		d.Errorf("the retry gave %v and arrived %d times", o.err, len(o.ran))
	}
	for _, got := range o.ran {
		d.compareArguments(args, got)
	}
}

// differing: a call with another i-th argument gets nobody else's result.
func (d *driver) differing(i int) {
	d.renew()
	args := d.args(filler{seed: 60, style: full})
	changed := d.invent(d.f.Type().In(i), filler{seed: 61, style: full}.of(i))
	if _, isContext := changed.Interface().(context.Context); isContext || same(args[i], changed) || d.m.Partial {
		return
	}
	d.will(filler{seed: 70, style: full}, nil)
	d.call(args)
	args[i] = changed
	if o := d.call(args); len(o.ran) == 0 && !errors.Is(o.err, idem.ErrMismatch) {
		d.Errorf("with another argument %d the call gave %v and did not run", i, o.err)
	}
}

// excepted: a call with another i-th argument gets the first one's result.
func (d *driver) excepted(i int) {
	d.renew()
	args := d.args(filler{seed: 60, style: full})
	args2 := slices.Clone(args)
	args2[i] = d.invent(d.f.Type().In(i), filler{seed: 61, style: full}.of(i))
	d.will(filler{seed: 70, style: full}, nil)
	d.call(args)
	if o := d.call(args2); len(o.ran) != 0 || o.err != nil {
		d.Errorf("with another argument %d, which does not count, the call gave %v and ran %d times", i, o.err, len(o.ran))
	}
}

// another: a call in which everything is another one has a key of its own, and runs. Samples are always the same.
func (d *driver) another() {
	if len(d.m.Samples) > 0 {
		return
	}
	d.renew()
	d.will(filler{seed: 70, style: full}, nil)
	d.call(d.args(filler{seed: 60, style: full}))
	if o := d.call(d.args(filler{seed: 65, style: full})); len(o.ran) != 1 || o.err != nil {
		d.Errorf("another call gave %v and ran %d times", o.err, len(o.ran))
	}
}
