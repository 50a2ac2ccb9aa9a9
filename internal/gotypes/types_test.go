package gotypes_test

//lint:file-ignore SA5008,U1000 Some samples are wrong on purpose, and some fields are there to be lost.

import (
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"net/url"
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
	badNameTwin struct {
		A int `json:"a\"b"`
		B int `json:"A"`
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
