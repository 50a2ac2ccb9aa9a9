package gotypes_test

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/shape"
)

// This file is the samples: types, each with values that show what becomes of it when it is stored.

// verdict is what the rules make of a result type.
type verdict int

const (
	fine verdict = iota
	warned
	failed
)

// sample is a type with values of it.
type sample struct {
	typ      reflect.Type
	want     verdict
	mayCome  bool // back unchanged, for all that the verdict is a warning
	survives func(*testing.T) bool
}

// whole is a type whose values all come back as they left.
func whole[T any](values ...T) sample { return sampleOf(fine, values) }

// altered is a type of which some value comes back in another spelling.
func altered[T any](values ...T) sample { return sampleOf(warned, values) }

// mended is a type that is warned of although the values that are tried come back: what reads it is its own method.
func mended[T any](values ...T) sample {
	s := sampleOf(warned, values)
	s.mayCome = true
	return s
}

// lossy is a type of which some value does not come back.
func lossy[T any](values ...T) sample { return sampleOf(failed, values) }

func sampleOf[T any](want verdict, values []T) sample {
	return sample{typ: reflect.TypeFor[T](), want: want, survives: func(t *testing.T) bool {
		for _, v := range values {
			if !comesBack(v) {
				return false
			}
		}
		return true
	}}
}

// comesBack stores v with the codec and reads it back. A panic counts as not coming back.
func comesBack[T any](v T) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	data, err := idem.JSON[T]{}.Encode(idem.Ref{}, v)
	if err != nil {
		return false
	}
	back, err := idem.JSON[T]{}.Decode(idem.Ref{}, data)
	return err == nil && reflect.DeepEqual(v, back)
}

var samples = []sample{
	// Kinds.
	whole(true, false),
	whole(0, -1, 1<<62),
	whole[int8](-128), whole[int16](-1), whole[int32](1 << 30), whole[int64](9007199254740993, -1<<63),
	whole[uint](1), whole[uint8](255), whole[uint16](1), whole[uint32](1), whole[uint64](1<<64 - 1), whole[uintptr](1),
	whole[float32](0.1, 3e38), whole(0.1, math.Copysign(0, -1), 1e308),
	whole("", "a\x00b", "<&>\u2028", "é"),
	whole[level](3), whole[name]("n"), whole[amount](1.5), whole[flag](true), whole[octet](7),
	lossy[complex64](1), lossy[complex128](1i),
	lossy(func() {}), lossy[callback](func() {}), lossy(make(chan int)), lossy(make(<-chan int)),
	lossy(unsafe.Pointer(&someTime)),
	lossy[any](1), lossy[error](errors.New("x")), lossy[fmt.Stringer](someTime), lossy[io.Reader](&reader{}), lossy[json.Marshaler](someTime),
	// Pointers.
	whole(nil, new(int), ptr(1)), whole(nil, ptr(point{1, 2})), whole(nil, ptr("")), whole[ref](nil, new(int)),
	lossy(ptr((*int)(nil))), lossy(ptr([]int(nil))), lossy(ptr(map[string]int(nil))), lossy(ptr[any](nil)), lossy(ptr(tags(nil))),
	lossy(ptr(ref(nil))), lossy(ptr(json.RawMessage(nil))), lossy(ptr(jsonList(nil))),
	whole(nil, ptr([2]int{1, 2})), whole(nil, ptr(textPair{"a"})), whole(nil, ptr(textList(nil)), ptr(textList{}), ptr(textList("x"))),
	lossy(ptr(func() {})), lossy(ptr(opaque{1, 2})),
	// Slices and arrays.
	whole(nil, []int{}, []int{1}), whole(nil, []byte{}, []byte{0, 255}), whole[blob](nil, blob{}, blob{1}), whole(nil, []octet{}, []octet{1}),
	whole(nil, [][]int{nil, {}, {1}}), whole(nil, []*int{nil, ptr(1)}), whole[tags](nil, tags{"a"}),
	whole([3]int{1, 2, 3}), whole([4]byte{1, 2}), whole(uuid{1}), whole([0]int{}), whole([2][]int{nil, {}}), whole([2]point{{1, 2}}),
	whole([]point{{1, 2}}), whole(nil, []textPair{{"a"}}), whole(nil, []jsonPointers{{1}}), whole([2]jsonPointers{{1}, {2}}),
	whole(nil, []bytesWithText{}, []bytesWithText{1, 2}),
	lossy([]any{1}), lossy([]func(){nil}), lossy([2]chan int{}), lossy([]opaque{{1, 2}}), whole([0]func(){}), whole([2][0]func(){}),
	whole(nil, []struct{}{{}, {}}), whole[forest](nil, forest{{}, nil}), whole([]time.Time{someTime}),
	// Maps.
	whole(nil, map[string]int{}, map[string]int{"a": 1}), whole[index](nil, index{"a": 1}), whole(map[int]string{-1: "a"}), whole(map[uint8]string{1: "a"}),
	whole(map[level]string{1: "a"}), whole(map[name]string{"": "a"}), whole(map[uintptr]int{1: 1}), whole(map[string][]int{"a": nil, "b": {}}),
	whole(map[string]*int{"a": nil, "b": ptr(0)}), whole(map[pointKey]int{{1, 2}: 3}), whole(map[textInt]int{1: 2}), whole(map[netip.Addr]int{someAddr: 1}),
	whole(map[time.Time]int{someTime: 1}), whole(map[string]textPair{"a": {"b"}}), whole(map[string]jsonPair{"a": {1}}), whole(map[string]*jsonPointers{"a": {1}}),
	whole[dirs](nil, dirs{"a": {}, "b": nil}), whole(map[json.Number]int{"1": 2}), whole(map[string]struct{}{"a": {}}),
	lossy(map[point]int{{1, 2}: 3}), lossy(map[[2]int]int{{1}: 1}), lossy(map[float64]int{1: 1}), lossy(map[bool]int{true: 1}), lossy(map[any]int{"a": 1}),
	lossy(map[*int]int{nil: 1}), lossy(map[*textPair]int{{"a"}: 1}), lossy(map[encoding.TextMarshaler]int{pointKey{}: 1}), lossy(map[textOnly]int{1: 1}),
	lossy(map[keyByValue]int{{1}: 1}), lossy(map[textIntPointers]int{1: 1}), lossy(map[textPointers]int{{"a"}: 1}), altered(map[readsLower]int{"A": 1}),
	whole(map[string]embedsMethods{"a": {&Methods{jsonPointers{1}}}}), lossy(map[string]jsonPointers{"a": {1}}), lossy(map[string]textPointers{"a": {"b"}}), lossy(map[string]struct{ A jsonPointers }{"a": {jsonPointers{1}}}),
	lossy(map[string][2]jsonPointers{"a": {{1}, {2}}}), whole(map[string][]jsonPointers{"a": {{1}}}), lossy(map[string]big.Int{"a": someInt}),
	lossy(map[string]jsonAndText{"a": {1}}), whole(map[string]jsonOnlyPointer{"a": {1}}), lossy(map[string]any{"a": int64(1)}),
	// Structs.
	whole(struct{}{}), whole(unit{}), whole(point{1, 2}), whole(struct{ A int }{1}), whole(node{1, &node{2, nil}}), whole(tree{[]tree{{}, {nil}}}),
	whole(pair[int, string]{1, "a"}), whole(list[string]{"a", &list[string]{"b", nil}}), lossy(pair[int, any]{1, 2}), lossy(pair[func(), int]{}),
	lossy(opaque{1, 2}), lossy(mixed{1, 2}), lossy(struct{ n int }{1}), whole(guarded{A: 1}), whole(blank{A: 1}), lossy(lockedOnce()), lossy(step{}),
	lossy(ptr(plan{[]step{{}}})), lossy(countedOnce()), lossy(struct{ E error }{errors.New("x")}), lossy(struct{ A any }{1}),
	// Tags.
	whole(renamed{1, 0}, renamed{1, 2}), lossy(dashed{1, 2}), whole(dashComma{1}), whole(badName{1, 2}), lossy(badNameTwin{1, 2}), lossy(halfTwins{"a", "b"}), whole(foldTwins{1, 2}),
	altered(emptySlice{[]int{}}), altered(emptyMap{map[string]int{}}), whole(emptyPointer{}, emptyPointer{new(int)}), whole(emptyScalars{}, emptyScalars{1, "a", true, 1}),
	whole(emptyStruct{}, emptyStruct{point{1, 2}, [2]int{1, 0}}), whole(zeroSlice{}, zeroSlice{[]int{}}), whole(zeroStruct{}, zeroStruct{point{1, 0}, someTime}),
	altered(zeroTimePointer{new(time.Time)}), altered(zeroOdd{oddZero{0, 1}}), whole(quoted{}, quoted{1, 1.5, true, `"a"`, ptr(2), 3, []string{"a"}, 4}),
	lossy(quotedText{1}), altered(quotedNumber{"1"}, quotedNumber{""}),
	// Embedding.
	whole(embeds{Base{1}}), whole(embedsMore{Base{1}, "a"}), whole(embedsHidden{base{1}, "a"}), whole(embedsPointer{}, embedsPointer{&Base{0}, "a"}),
	lossy(embedsHiddenPtr{&base{1}, "a"}), altered(embedsOptional{&Optional{}, "a"}), altered(embedsBare{&Bare{}, "a"}), whole(embedsTagged{Base{1}, "a"}),
	whole(embedsTaggedLow{base{1}, "a"}), lossy(embedsTaggedPtr{&base{1}, "a"}), lossy(embedsDashed{Base{1}, "a"}), lossy(shadows{Base{1}, "a"}),
	lossy(clashes{Left{1, 2}, Right{3, 4}}), lossy(settled{Left{1, 2}, Right{3, 4}, 5}), lossy(diamond{Deep1{Base{1}}, Deep2{Base{2}}}), lossy(selfEmbed{&selfEmbed{nil, 1}, 2}),
	lossy(embedsLevel{1, 2}), whole(embedsScalar{1, 2}), lossy(embedsAny{someTime, 1}),
	// Marshal methods.
	whole(textPair{"a"}), whole(jsonPair{1}), whole(jsonPointers{1}), whole(textPointers{"a"}), whole(struct{ A jsonPointers }{jsonPointers{1}}),
	lossy(jsonOnly{1}), lossy(jsonOnlyPointer{1}), lossy(jsonText{1}), lossy(textOnly(1)), whole(textInt(1)), mended(readsJSON{1}), lossy(readsTextInt(1)),
	mended(readsTextString("a")), lossy(readsByValue{1}), whole(unitByValue{}), lossy(unitText{}), whole(jsonAndText{1}), whole(jsonList(nil), jsonList{}, jsonList{1}),
	whole(textList(nil), textList{}, textList("a")), lossy(wrongSignature{1}), whole(generic[int]{1}), whole(generic[textPair]{textPair{"a"}}),
	whole(overrides{textPair{"a"}, 1}), whole(overridesPointer{textPair{"a"}, 1}), whole(overridesGeneric[int]{textPair{"a"}, 1}), lossy(overridesHalf{textPair{"a"}, 1}),
	whole(promotesOnly{textPair{"a"}}), lossy(promotesUnit{A: 1}), lossy(promotesMore{textPair{"a"}, 1}), whole(promotesBlank{textPair: textPair{"a"}}), whole(promotesTime{someTime}),
	lossy(promotesTime2{someTime, "a"}), lossy(promotesPtr{}), lossy(promotesIface{someTime}), lossy(promotesReader{readsJSON{1}, 2}), lossy(promotesBoth{textPair{"a"}, jsonPair{1}}),
	lossy(ambiguous{someTime, Inner{1}}), lossy(genericEmbed[int]{textPair{"a"}, 1}), whole(struct{ time.Time }{someTime}), whole(&struct{ time.Time }{someTime}), lossy([]struct{ time.Time }{{someTime}}), lossy(map[string]promotesOnly2{"a": {jsonPointers{1}}}),
	whole(promotesOnly2{jsonPointers{1}}),
	// Types of the standard library.
	whole(time.Time{}, someTime), whole(nil, ptr(someTime)), whole(time.Second), whole(time.March), whole(someInt), whole(nil, &someInt), whole(*big.NewRat(1, 3)),
	whole(someAddr, netip.Addr{}), whole(netip.MustParsePrefix("10.0.0.0/8")), altered(net.IP{10, 0, 0, 1}), whole(url.Values{"a": {"b"}}), whole(http.Header{"A": {"b"}}),
	altered(json.RawMessage(`{ "a": 1 }`)), altered(json.Number("")), lossy(someURL), lossy(&someURL), lossy(http.Request{}), lossy(*time.FixedZone("X", 1)), lossy(message{"a", 1}),
	lossy(reflect.ValueOf(1)), whole(idem.Void{}), whole(struct {
		R1 point   `json:"1"`
		R2 []point `json:"2"`
	}{point{1, 2}, nil}),
	// Types that matter to comparisons.
	whole(reader{[]byte("a")}), lossy(hidesIn{inner{1}, 2}), whole(showsIn{shownInner{1}, 2}), lossy(showsInPtr{&shownInner{1}, 2}), lossy(binaryOnly{"a"}),
}

type promotesOnly2 struct{ jsonPointers }

// verdictOf is the worst of the problems.
func verdictOf(problems []shape.Problem) (v verdict) {
	for _, p := range problems {
		if p.Warning {
			v = max(v, warned)
		} else {
			v = failed
		}
	}
	return v
}
