package idem

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Types as they stand in requests.
type (
	card struct {
		Number string
		CVC    string
	}
	chargeRequest struct {
		IdempotencyKey string
		Amount         int64
		Currency       string
		Card           *card
		Metadata       map[string]string
		Lines          []chargeLine
		Capture        bool
		At             time.Time
	}
	chargeLine struct {
		SKU   string
		Cents int64
	}
)

// pan redacts itself wherever it is marshalled or printed.
type pan string

func (pan) MarshalJSON() ([]byte, error) { return []byte(`"****"`), nil }
func (pan) MarshalText() ([]byte, error) { return []byte("****"), nil }
func (pan) String() string               { return "****" }

// decimal has many values for one number.
type decimal struct {
	digits int64
	scale  int
}

func (d *decimal) MarshalText() ([]byte, error) {
	text := new(big.Rat).SetFrac64(d.digits, int64(math.Pow10(d.scale))).FloatString(9)
	return []byte(strings.TrimRight(text, "0")), nil
}

// threefold has all marshal methods; which is used shows.
type threefold struct{ text, binary, json string }

func (t threefold) MarshalText() ([]byte, error)   { return []byte(t.text), nil }
func (t threefold) MarshalBinary() ([]byte, error) { return []byte(t.binary), nil }
func (t threefold) MarshalJSON() ([]byte, error)   { return json.Marshal(t.json) }

type twofold struct{ binary, json string }

func (t twofold) MarshalBinary() ([]byte, error) { return []byte(t.binary), nil }
func (t twofold) MarshalJSON() ([]byte, error)   { return json.Marshal(t.json) }

type onlyJSON struct{ v int }

func (o onlyJSON) MarshalJSON() ([]byte, error) { return []byte(strconv.Itoa(o.v)), nil }

// embedder is written by itself, although it embeds something that could.
type embedder struct {
	onlyJSON
	note string
}

func (e embedder) MarshalJSON() ([]byte, error) { return json.Marshal([]any{e.v, e.note}) }

// swallowed is written by the method of what it embeds, which knows nothing of note.
type swallowed struct {
	onlyJSON
	note string
}

type (
	plainInner struct{ X int }
	embedsIt   struct {
		plainInner
		Y int
	}
	cents    int64
	euros    int64
	someUUID [16]byte
	unseen   struct{ x int }
	ring     struct{ Next *ring }
	rings    []rings
	ringMap  map[string]ringMap
	doubly   struct{ A, B *doubly }
	sealed   struct {
		A    int
		mark struct{}
		none [0]func()
	}
	quietSeen struct {
		_ int
		A int
	}
)

// fingerprintOf is the fingerprint of one argument.
func fingerprintOf(v any) ([]byte, error) {
	var f Fingerprint
	f.Add("v", v)
	return f.sum(nil)
}

func mustFingerprint(t testing.TB, v any) string {
	t.Helper()
	sum, err := fingerprintOf(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(sum)
}

func pointer[T any](v T) *T { return &v }

func TestFingerprint_PrefersTextThenBinaryThenJSON(t *testing.T) {
	t.Parallel()
	if mustFingerprint(t, threefold{"a", "b", "c"}) != mustFingerprint(t, threefold{"a", "x", "x"}) {
		t.Error("text does not decide alone")
	}
	if mustFingerprint(t, twofold{"b", "c"}) != mustFingerprint(t, twofold{"b", "x"}) {
		t.Error("binary does not decide over json")
	}
	if mustFingerprint(t, threefold{"a", "b", "c"}) == mustFingerprint(t, threefold{"x", "b", "c"}) {
		t.Error("text does not decide")
	}
}

// TestG1_MapOrderChangesNothing builds the same map many times over, in ever other orders.
func TestG1_MapOrderChangesNothing(t *testing.T) {
	t.Parallel()
	build := func(start int) map[string]any {
		m := map[string]any{}
		for i := range 20 {
			n := (i*7 + start) % 20
			m[strconv.Itoa(n)] = map[int]int{n: n, n + 1: n}
		}
		return m
	}
	want := mustFingerprint(t, build(0))
	for i := range 1000 {
		if mustFingerprint(t, build(i)) != want {
			t.Fatal("differs")
		}
	}
}

func TestFingerprint_AddsAreARecord(t *testing.T) {
	t.Parallel()
	sum := func(add func(f *Fingerprint)) string {
		var f Fingerprint
		add(&f)
		b, err := f.sum(nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	nothing := sum(func(*Fingerprint) {})
	ab := sum(func(f *Fingerprint) { f.Add("a", 1); f.Add("b", "x") })
	if ba := sum(func(f *Fingerprint) { f.Add("b", "x"); f.Add("a", 1) }); ba != ab {
		t.Error("their order counts")
	}
	if zero := sum(func(f *Fingerprint) { f.Add("b", "x"); f.Add("c", 0); f.Add("a", 1); f.Add("d", nil) }); zero != ab {
		t.Error("zero values count")
	}
	if zero := sum(func(f *Fingerprint) { f.Add("c", chargeRequest{}); f.AddInterface("d", nil) }); zero != nothing {
		t.Error("nothing but zero values is not nothing")
	}
	if swapped := sum(func(f *Fingerprint) { f.Add("a", "x"); f.Add("b", 1) }); swapped == ab {
		t.Error("names don't count")
	}
	if ab == nothing {
		t.Error("values don't count")
	}
	dynamic := func(v any) string { return sum(func(f *Fingerprint) { f.AddInterface("a", v) }) }
	if dynamic(cents(5)) == dynamic(euros(5)) || dynamic((*cents)(nil)) == nothing {
		t.Error("dynamic types don't count")
	}
	if len(ab) != 33 || ab[0] != 1 {
		t.Errorf("%d bytes, version %d", len(ab), ab[0])
	}
}

func TestFingerprint_AKeyChangesAllOfIt(t *testing.T) {
	t.Parallel()
	sum := func(key []byte) []byte {
		var f Fingerprint
		f.Add("a", 1)
		b, err := f.sum(key)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	plain, one, two := sum(nil), sum([]byte("0123456789abcdef")), sum([]byte("0123456789abcdeg"))
	if bytes.Equal(plain, one) || bytes.Equal(one, two) {
		t.Error("the key does not matter")
	}
	if len(one) != 33 || one[0] != 1 || !bytes.Equal(one, sum([]byte("0123456789abcdef"))) {
		t.Error("not the keyed hash")
	}
}

func TestFingerprint_TwoOfOneNameAreAnError(t *testing.T) {
	t.Parallel()
	var f Fingerprint
	f.Add("b", 1)
	f.Add("a", 0)
	f.Add("a", 0)
	if _, err := f.sum(nil); err == nil || err.Error() != "a was added twice" {
		t.Errorf("got %v", err)
	}
}

// TestFingerprint_APointerTwiceIsNoCircle, however deep it lies.
func TestFingerprint_APointerTwiceIsNoCircle(t *testing.T) {
	t.Parallel()
	leaf := &doubly{}
	deep := &doubly{leaf, leaf}
	for range 2 * cycleDepth {
		deep = &doubly{A: deep}
	}
	mustFingerprint(t, deep)
}

// TestFingerprint_PlansAreMadeByManyAtOnce is for the race detector: no other test knows these types.
func TestFingerprint_PlansAreMadeByManyAtOnce(t *testing.T) {
	t.Parallel()
	type even struct{ Odd *odd[even] }
	v := &even{&odd[even]{&even{}, map[string]odd[even]{"x": {}}}}
	sums := make([]string, 16)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range sums {
		all.Go(func() {
			<-start
			sum, _ := fingerprintOf(v)
			sums[i] = string(sum)
		})
	}
	close(start)
	all.Wait()
	for _, sum := range sums {
		if sum == "" || sum != sums[0] {
			t.Fatal("they differ")
		}
	}
}

type odd[T any] struct {
	Even *T
	More map[string]odd[T]
}

func BenchmarkFingerprint(b *testing.B) {
	req := chargeRequest{
		IdempotencyKey: "0b6f4c3e-1c56-4d13-9d7c-0b1f6a3e3f55", Amount: 1250, Currency: "EUR", Card: &card{"4111111111111111", "123"},
		Metadata: map[string]string{"order": "77", "customer": "c-1029"}, Lines: []chargeLine{{"sku-1", 1000}, {"sku-2", 250}},
		Capture: true, At: time.Unix(1_770_000_000, 0),
	}
	b.ReportAllocs()
	for b.Loop() {
		var f Fingerprint
		f.Add("req", req)
		if _, err := f.sum(nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFingerprintOfJSON(b *testing.B) { // for comparison: what it would cost to hash the marshalled request
	req := chargeRequest{
		IdempotencyKey: "0b6f4c3e-1c56-4d13-9d7c-0b1f6a3e3f55", Amount: 1250, Currency: "EUR", Card: &card{"4111111111111111", "123"},
		Metadata: map[string]string{"order": "77", "customer": "c-1029"}, Lines: []chargeLine{{"sku-1", 1000}, {"sku-2", 250}},
		Capture: true, At: time.Unix(1_770_000_000, 0),
	}
	b.ReportAllocs()
	for b.Loop() {
		data, err := json.Marshal(req)
		if err != nil {
			b.Fatal(err)
		}
		sha256.Sum256(data)
	}
}
