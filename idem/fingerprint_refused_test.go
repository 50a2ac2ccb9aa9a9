package idem

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/idemgen/idemgen/idem/shape"
)

// failing can't be marshalled.
type failing struct{ secret string }

func (f failing) MarshalText() ([]byte, error) { return nil, errors.New(f.secret) }

type panicking struct{ secret string }

func (p panicking) MarshalText() ([]byte, error) { panic(p.secret) }

// lazy is a reader all of whose fields can be seen.
type lazy struct{ URL string }

func (*lazy) Read([]byte) (int, error) { return 0, io.EOF }

type protobuf struct{ Text string }

func (*protobuf) ProtoMessage() {}

// envelope has room for whatever an interface can hold.
type envelope struct {
	Body io.Reader
	Tags []any
	Meta map[string]any
	Card *holder
}

type holder struct{ Owner any }

const canary = "4111111111111111"

func TestFingerprint_WhatCannotBeSeenIsRefused(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	circle := &ring{}
	circle.Next = circle
	list := make(rings, 1)
	list[0] = list
	graph := ringMap{}
	graph["x"] = graph
	wide := &doubly{}
	wide.A, wide.B = wide, &doubly{A: wide, B: wide}
	var self any
	self = &self
	deep := &ring{}
	for range 2 * maxDepth {
		deep = &ring{deep}
	}
	for name, c := range map[string]struct {
		v    any
		want string
	}{
		"function":                  {func() {}, "v is a function, which can't be compared"},
		"channel":                   {make(chan int), "v is a channel, which can't be compared"},
		"unsafe pointer":            {unsafe.Pointer(&name_), "v is a pointer of package unsafe, which can't be compared"},
		"errors.New":                {errors.New(canary), "v has unexported fields and no marshal methods of its own, so it can't be compared"},
		"unexported fields":         {unseen{7}, "v has unexported fields and no marshal methods of its own, so it can't be compared"},
		"their zero value":          {unseen{}, "v has unexported fields and no marshal methods of its own, so it can't be compared"},
		"behind a pointer":          {&unseen{7}, "v has unexported fields"},
		"mutex":                     {&sync.Mutex{}, "v has unexported fields"},
		"atomic":                    {&atomic.Int64{}, "v has unexported fields"},
		"reflect.Value":             {reflect.ValueOf(canary), "v has unexported fields"},
		"context":                   {struct{ C context.Context }{ctx}, "v.C.(*context.cancelCtx) has unexported fields"},
		"location":                  {time.FixedZone(canary, 1), "v has unexported fields"},
		"reader":                    {envelope{Body: strings.NewReader(canary)}, "v.Body.(*strings.Reader) is a reader, and what it would read can't be compared"},
		"file":                      {envelope{Body: os.Stdin}, "v.Body.(*os.File) is a reader"},
		"reader with seen fields":   {envelope{Body: &lazy{canary}}, "v.Body.(*idem.lazy) is a reader"},
		"value of a reader type":    {lazy{canary}, "v is a reader"},
		"http request":              {&http.Request{}, "v has unexported fields"},
		"protobuf":                  {&protobuf{canary}, "v " + shape.ReasonProtobuf},
		"in a list":                 {envelope{Tags: []any{1, func() {}}}, "v.Tags[].(func()) is a function"},
		"in a map":                  {envelope{Meta: map[string]any{canary: make(chan int)}}, "v.Meta[].(chan int) is a channel"},
		"in a map's key":            {map[any]int{unseen{1}: 1}, "v[].(idem.unseen) has unexported fields"},
		"far below":                 {envelope{Card: &holder{[]any{&unseen{1}}}}, "v.Card.Owner.([]interface {})[].(*idem.unseen) has unexported fields"},
		"promoted marshal method":   {swallowed{onlyJSON{1}, canary}, "v has unexported fields and no marshal methods of its own"},
		"marshal method fails":      {failing{canary}, "v has a marshal method that failed"},
		"marshal method panics":     {[]panicking{{canary}}, "v[] has a marshal method that panicked"},
		"embedded and nil":          {struct{ *onlyJSON }{}, ""},
		"circle of pointers":        {circle, "leads back to itself"},
		"circle of slices":          {list, "leads back to itself"},
		"circle of maps":            {graph, "leads back to itself"},
		"circles in all directions": {wide, "leads back to itself"},
		"circle of interfaces":      {self, "leads back to itself"},
		"too deep":                  {deep, "is nested too deep"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := fingerprintOf(c.v)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil {
				t.Fatal("it is accepted")
			}
			if !strings.Contains(err.Error(), c.want) || strings.HasPrefix(c.want, "v") && !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
			if strings.Contains(err.Error(), canary) || len(err.Error()) > 300 {
				t.Errorf("it says too much: %s", err)
			}
		})
	}
}

var name_ int

func TestFingerprint_WhatIsNotThereCanBeSeen(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]any{
		"nil function":       struct{ F func() }{},
		"nil channel":        struct{ C chan int }{},
		"nil pointer":        struct{ M *sync.Mutex }{},
		"nil reader":         envelope{},
		"empty list":         struct{ F []func() }{},
		"list of nothing":    [0]func(){},
		"http.NoBody":        struct{ Body io.Reader }{http.NoBody},
		"nil protobuf":       struct{ P *protobuf }{},
		"zero that fails":    struct{ F failing }{},
		"zero that panics":   struct{ P panicking }{},
		"typed nil reader":   envelope{Body: (*os.File)(nil)},
		"empty struct":       struct{}{},
		"background context": struct{ C context.Context }{context.Background()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := fingerprintOf(v); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFingerprint_TheFirstFaultStays(t *testing.T) {
	t.Parallel()
	var f Fingerprint
	f.Add("a", func() {})
	f.Add("b", make(chan int))
	if _, err := f.sum(nil); err == nil || !strings.HasPrefix(err.Error(), "a is a function") {
		t.Errorf("got %v", err)
	}
}

// TestFingerprint_WhatItsTypeAllowsIsNotRefused holds the run-time rule against the verdict that the generator gives.
func TestFingerprint_WhatItsTypeAllowsIsNotRefused(t *testing.T) {
	t.Parallel()
	for _, v := range []any{
		1, "a", []byte("a"),
		someUUID{1},
		pan("a"),
		decimal{1, 1},
		threefold{},
		onlyJSON{1},
		embedder{},
		swallowed{},
		struct{ onlyJSON }{},
		embedsIt{},
		quietSeen{},
		unseen{},
		[]unseen{{}},
		map[string]*unseen{"a": {}},
		map[unseen]int{{}: 1},
		lazy{},
		protobuf{},
		failing{},
		chargeRequest{},
		time.Now(), time.UTC,
		sync.Mutex{},
		func() {}, make(chan int),
		[]func(){func() {}},
		[1]chan int{make(chan int)},
		http.Header{},
		struct{ embedsIt }{},
		struct {
			unseen
			A int
		}{},
		struct {
			*plainInner
			A int
		}{},
		struct{ R *lazy }{&lazy{}},
	} {
		static := shape.Comparable(shape.Of(reflect.TypeOf(v)))
		if _, err := fingerprintOf(v); (err != nil) != (len(static) > 0) {
			t.Errorf("%T: by its type %v, at run time %v", v, static, err)
		}
	}
}
