package gotypes_test

//lint:file-ignore SA5008,U1000 Some samples are wrong on purpose, and some fields are there to be lost.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// This file is the declared types that the samples are made of.

type (
	level  int
	name   string
	amount float64
	flag   bool
	octet  byte
	blob   []byte
	uuid   [16]byte
	tags   []string
	index  map[string]int
	ref    *int

	unit  struct{}
	point struct{ X, Y int }
	node  struct {
		Value int
		Next  *node
	}
	tree   struct{ Children []tree }
	forest []forest
	dirs   map[string]dirs

	pair[A, B any] struct {
		First  A
		Second B
	}
	list[T any] struct {
		Value T
		Next  *list[T]
	}

	opaque struct{ a, b int }
	mixed  struct {
		Shown  int
		hidden int
	}
	blank struct {
		_ int
		A int
	}
	noCopy  struct{}
	guarded struct {
		noCopy noCopy
		_      [0]func()
		A      int
	}
	locked struct {
		Mu sync.Mutex
		A  int
	}
	step struct{ Run func() error }
	plan struct{ Steps []step }
)

// Fields and tags.
type (
	renamed struct {
		A int `json:"a"`
		B int `json:"b,omitempty"`
	}
	dashed struct {
		A int
		B int `json:"-"`
	}
	dashComma struct {
		A int `json:"-,"`
	}
	badName struct {
		A int `json:"a\"b"`
		B int `json:"a b"`
	}
	halfTwins struct {
		A string `json:"B"`
		B string
	}
	foldTwins struct {
		A int `json:"x"`
		B int `json:"X"`
	}
	emptySlice struct {
		A []int `json:",omitempty"`
	}
	emptyMap struct {
		A map[string]int `json:",omitempty"`
	}
	emptyPointer struct {
		A *int `json:",omitempty"`
	}
	emptyScalars struct {
		A int     `json:",omitempty"`
		B string  `json:",omitempty"`
		C bool    `json:",omitempty"`
		D float64 `json:",omitempty"`
	}
	emptyStruct struct {
		A point  `json:",omitempty"`
		B [2]int `json:",omitempty"`
	}
	zeroSlice struct {
		A []int `json:",omitzero"`
	}
	zeroStruct struct {
		A point     `json:",omitzero"`
		T time.Time `json:",omitzero"`
	}
	zeroTimePointer struct {
		T *time.Time `json:",omitzero"`
	}
	zeroOdd struct {
		A oddZero `json:",omitzero"`
	}
	quoted struct {
		A int      `json:",string"`
		B float64  `json:",string"`
		C bool     `json:",string"`
		D string   `json:",string"`
		E *int     `json:",string"`
		F uint8    `json:"f,string"`
		G []string `json:",string"`
		H level    `json:",string"`
	}
	quotedText struct {
		A textInt `json:",string"`
	}
	quotedNumber struct {
		A json.Number `json:",string"`
	}
)

// Embedding.
type (
	Base struct{ ID int }
	base struct{ ID int }
	Bare struct{}

	embeds     struct{ Base }
	embedsMore struct {
		Base
		Name string
	}
	embedsHidden struct {
		base
		Name string
	}
	embedsPointer struct {
		*Base
		Name string
	}
	embedsHiddenPtr struct {
		*base
		Name string
	}
	embedsOptional struct {
		*Optional
		Name string
	}
	embedsBare struct {
		*Bare
		Name string
	}
	Optional struct {
		A int `json:",omitempty"`
	}
	embedsTagged struct {
		Base `json:"base"`
		Name string
	}
	embedsTaggedLow struct {
		base `json:"base"`
		Name string
	}
	embedsTaggedPtr struct {
		*base `json:"base"`
		Name  string
	}
	embedsDashed struct {
		Base `json:"-"`
		Name string
	}
	shadows struct {
		Base
		ID string
	}
	Left    struct{ ID, L int }
	Right   struct{ ID, R int }
	clashes struct {
		Left
		Right
	}
	settled struct {
		Left
		Right
		ID int
	}
	Deep1   struct{ Base }
	Deep2   struct{ Base }
	diamond struct {
		Deep1
		Deep2
	}
	selfEmbed struct {
		*selfEmbed
		A int
	}
	embedsLevel struct {
		level
		A int
	}
	Level        int
	embedsScalar struct {
		Level
		A int
	}
	embedsAny struct {
		fmt.Stringer
		A int
	}
)

// Marshal methods.

type textPair struct{ s string }

func (t textPair) MarshalText() ([]byte, error)  { return []byte(t.s), nil }
func (t *textPair) UnmarshalText(b []byte) error { t.s = string(b); return nil }

type jsonPair struct{ n int }

func (j jsonPair) MarshalJSON() ([]byte, error)  { return []byte(strconv.Itoa(j.n)), nil }
func (j *jsonPair) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &j.n) }

type jsonPointers struct{ n int }

func (j *jsonPointers) MarshalJSON() ([]byte, error) { return []byte(strconv.Itoa(j.n)), nil }
func (j *jsonPointers) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &j.n) }

type textPointers struct{ s string }

func (t *textPointers) MarshalText() ([]byte, error) { return []byte(t.s), nil }
func (t *textPointers) UnmarshalText(b []byte) error { t.s = string(b); return nil }

type jsonOnly struct{ N int }

func (j jsonOnly) MarshalJSON() ([]byte, error) { return []byte(`"` + strconv.Itoa(j.N) + `"`), nil }

type jsonOnlyPointer struct{ N int }

func (j *jsonOnlyPointer) MarshalJSON() ([]byte, error) {
	return []byte(`"` + strconv.Itoa(j.N) + `"`), nil
}

type jsonText struct{ n int }

func (j jsonText) MarshalJSON() ([]byte, error)  { return []byte(strconv.Itoa(j.n)), nil }
func (j *jsonText) UnmarshalText(b []byte) error { return json.Unmarshal(b, &j.n) }

type textOnly int

func (t textOnly) MarshalText() ([]byte, error) { return []byte("#" + strconv.Itoa(int(t))), nil }

type textInt int

func (t textInt) MarshalText() ([]byte, error) { return []byte("#" + strconv.Itoa(int(t))), nil }
func (t *textInt) UnmarshalText(b []byte) error {
	n, err := strconv.Atoi(strings.TrimPrefix(string(b), "#"))
	*t = textInt(n)
	return err
}

type textIntPointers int

func (t *textIntPointers) MarshalText() ([]byte, error) {
	return []byte("#" + strconv.Itoa(int(*t))), nil
}

func (t *textIntPointers) UnmarshalText(b []byte) error {
	n, err := strconv.Atoi(strings.TrimPrefix(string(b), "#"))
	*t = textIntPointers(n - 1)
	return err
}

type readsJSON struct{ N int }

func (r *readsJSON) UnmarshalJSON(b []byte) error {
	var o struct{ N int }
	err := json.Unmarshal(b, &o)
	r.N = o.N
	return err
}

type readsTextInt int

func (r *readsTextInt) UnmarshalText(b []byte) error { return json.Unmarshal(b, (*int)(r)) }

type readsTextString string

func (r *readsTextString) UnmarshalText(b []byte) error { *r = readsTextString(b); return nil }

type readsLower string

func (r *readsLower) UnmarshalText(b []byte) error {
	*r = readsLower(strings.ToLower(string(b)))
	return nil
}

type readsByValue struct{ N int }

func (r readsByValue) MarshalJSON() ([]byte, error) { return []byte(strconv.Itoa(r.N)), nil }
func (r readsByValue) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &r.N) }

type unitByValue struct{}

func (u unitByValue) MarshalJSON() ([]byte, error) { return []byte("1"), nil }
func (u unitByValue) UnmarshalJSON(b []byte) error { return nil }

type unitText struct{}

func (u unitText) MarshalText() ([]byte, error) { return []byte("unit"), nil }

type jsonAndText struct{ n int }

func (j *jsonAndText) MarshalJSON() ([]byte, error) { return []byte(strconv.Itoa(j.n)), nil }
func (j *jsonAndText) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &j.n) }
func (j jsonAndText) MarshalText() ([]byte, error)  { return []byte("#" + strconv.Itoa(j.n)), nil }

type oddZero struct{ A, B int }

func (o oddZero) IsZero() bool { return o.A == 0 }

type jsonList []int

func (l jsonList) MarshalJSON() ([]byte, error)  { return json.Marshal([]int(l)) }
func (l *jsonList) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*[]int)(l)) }

type textList []byte

func (l textList) MarshalText() ([]byte, error) { return []byte(fmt.Sprint(l == nil, string(l))), nil }

func (l *textList) UnmarshalText(b []byte) error {
	if *l = nil; !bytes.HasPrefix(b, []byte("true")) {
		*l = append(textList{}, bytes.TrimPrefix(b, []byte("false"))...)
	}
	return nil
}

type bytesWithText byte

func (o bytesWithText) MarshalText() ([]byte, error)  { return []byte{'0' + byte(o)}, nil }
func (o *bytesWithText) UnmarshalText(b []byte) error { *o = bytesWithText(b[0] - '0'); return nil }

type wrongSignature struct{ n int }

func (w wrongSignature) MarshalText() string { return "" }

type pointKey struct{ X, Y int }

func (p pointKey) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d,%d", p.X, p.Y), nil }
func (p *pointKey) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "%d,%d", &p.X, &p.Y)
	return err
}

type generic[T any] struct{ v T }

func (g generic[T]) MarshalJSON() ([]byte, error)  { return json.Marshal(g.v) }
func (g *generic[T]) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &g.v) }

// Promoted methods.
type (
	promotesOnly struct{ textPair }
	promotesMore struct {
		textPair
		A int
	}
	promotesBlank struct {
		textPair
		_ int
	}
	promotesTime  struct{ time.Time }
	promotesTime2 struct {
		time.Time
		Note string
	}
	TextPair       struct{ s string }
	promotesPtr    struct{ *TextPair }
	promotesIface  struct{ json.Marshaler }
	promotesReader struct {
		readsJSON
		A int
	}
	promotesBoth struct {
		textPair
		jsonPair
	}
	ambiguous struct {
		time.Time
		Inner
	}
	genericEmbed[T any] struct {
		textPair
		V T
	}
)

func (t TextPair) MarshalText() ([]byte, error)  { return []byte(t.s), nil }
func (t *TextPair) UnmarshalText(b []byte) error { t.s = string(b); return nil }

type Inner struct{ n int }

func (i Inner) MarshalJSON() ([]byte, error)  { return []byte(strconv.Itoa(i.n)), nil }
func (i *Inner) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &i.n) }
func (i Inner) MarshalText() ([]byte, error)  { return []byte(strconv.Itoa(i.n)), nil }
func (i *Inner) UnmarshalText(b []byte) error { return json.Unmarshal(b, &i.n) }

// overrides embeds a type with methods and declares its own.
type overrides struct {
	textPair
	A int
}

func (o overrides) MarshalText() ([]byte, error) { return []byte(o.s + " " + strconv.Itoa(o.A)), nil }

func (o *overrides) UnmarshalText(b []byte) error {
	_, err := fmt.Sscan(string(b), &o.s, &o.A)
	return err
}

type overridesPointer struct {
	textPair
	A int
}

func (o *overridesPointer) MarshalText() ([]byte, error) {
	return []byte(o.s + " " + strconv.Itoa(o.A)), nil
}

func (o *overridesPointer) UnmarshalText(b []byte) error {
	_, err := fmt.Sscan(string(b), &o.s, &o.A)
	return err
}

type overridesGeneric[T any] struct {
	textPair
	V T
}

func (o overridesGeneric[T]) MarshalJSON() ([]byte, error) { return json.Marshal([]any{o.s, o.V}) }
func (o *overridesGeneric[T]) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&o.s, &o.V})
}

// overridesHalf writes itself, and is read by the embedded field's method.
type overridesHalf struct {
	textPair
	A int
}

func (o overridesHalf) MarshalText() ([]byte, error) { return []byte(o.s), nil }

// Types that hide something from a comparison, or show it.
type (
	reader   struct{ Data []byte }
	callback func()
	message  struct {
		Text  string
		state int
	}
	hidesIn struct {
		inner
		A int
	}
	inner      struct{ x int }
	shownInner struct{ X int }
	showsIn    struct {
		shownInner
		A int
	}
	showsInPtr struct {
		*shownInner
		A int
	}
	binaryOnly struct{ s string }
	atomicInt  struct{ N atomic.Int64 }
)

func (r *reader) Read([]byte) (int, error) { return 0, errors.New("unread") }

func (*message) ProtoMessage() {}

func (b binaryOnly) MarshalBinary() ([]byte, error) { return []byte(b.s), nil }

func ptr[T any](v T) *T { return &v }

var (
	someTime = time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC)
	someURL  = url.URL{Scheme: "https", Host: "example.com", User: url.UserPassword("u", "p")}
	someAddr = netip.MustParseAddr("10.0.0.1")
	someInt  = *big.NewInt(1 << 62)
)

func lockedOnce() *locked {
	l := &locked{A: 1}
	l.Mu.Lock()
	return l
}

func countedOnce() *atomicInt {
	var a atomicInt
	a.N.Store(1)
	return &a
}
