package idem

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"math"
	"math/big"
	"net"
	"net/netip"
	"net/url"
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

func TestFingerprint_WhatCountsAsEqualIsEqual(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 1, 2, 12, 0, 0, 5, time.UTC)
	zero := new(big.Int).Sub(big.NewInt(7), big.NewInt(7))
	for name, c := range map[string][2]any{
		"int widened":             {struct{ A int32 }{-5}, struct{ A int64 }{-5}},
		"int made unsigned":       {struct{ A int }{5}, struct{ A uint8 }{5}},
		"float widened":           {float32(0.5), 0.5},
		"negative zero":           {struct{ A, B float64 }{math.Copysign(0, -1), 1}, struct{ A, B float64 }{0, 1}},
		"all NaN":                 {math.NaN(), math.Float64frombits(math.Float64bits(math.NaN()) ^ 1)},
		"complex negative zero":   {[]complex128{complex(math.Copysign(0, -1), 0)}, []complex128{0}},
		"nil and empty slice":     {[]int(nil), []int{}},
		"nil and empty map":       {map[string]int(nil), map[string]int{}},
		"nil and empty bytes":     {[][]byte{nil}, [][]byte{{}}},
		"slice and array":         {[]int{1, 2}, [2]int{1, 2}},
		"defined and plain types": {cents(5), int64(5)},
		"fields in another order": {struct{ A, B int }{1, 2}, struct{ B, A int }{2, 1}},
		"a zero field added":      {struct{ A int }{1}, struct{ A, B int }{1, 0}},
		"a struct of zero fields added": {struct{ A int }{1}, struct {
			A int
			B chargeRequest
			C [2]chargeLine
		}{A: 1}},
		"an empty map field added": {struct{ A int }{1}, struct {
			A int
			B map[int]int
		}{1, map[int]int{}}},
		"a nil pointer field added": {struct{ A int }{1}, struct {
			A int
			B *int
		}{1, nil}},
		"hidden fields of no size":    {sealed{A: 1, mark: struct{}{}, none: [0]func(){}}, struct{ A int }{1}},
		"blank fields":                {quietSeen{A: 1}, struct{ A int }{1}},
		"times in another zone":       {noon, noon.In(time.FixedZone("X", 3600))},
		"times with a monotonic part": {struct{ T time.Time }{time.Now().Round(0).Truncate(0)}, nil},
		"pointers to equal values":    {pointer(5), pointer(5)},
		"numbers of a decimal type":   {decimal{150, 2}, decimal{15, 1}},
		"zeros of a decimal type": {struct {
			A int
			D decimal
		}{1, decimal{0, 3}}, struct{ A int }{1}},
		"a computed zero in a list":    {[]*big.Int{zero}, []*big.Int{new(big.Int)}},
		"NaN keys":                     {map[float64]int{math.NaN(): 1, math.Log(-1): 2}, map[float64]int{math.NaN(): 2, math.Log(-1): 1}},
		"maps by pointer keys":         {map[*int]string{pointer(1): "a"}, map[*int]string{pointer(1): "a"}},
		"interfaces with equal values": {[]any{1, "a", nil}, []any{1, "a", nil}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c[1] == nil { // the same instant, read with and without the monotonic clock
				now := time.Now()
				c = [2]any{now, now.Round(0)}
			}
			if mustFingerprint(t, c[0]) != mustFingerprint(t, c[1]) {
				t.Errorf("%#v and %#v differ", c[0], c[1])
			}
		})
	}
}

func TestFingerprint_WhatDiffersDiffers(t *testing.T) {
	t.Parallel()
	parse := func(s string) *url.URL {
		u, err := url.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for name, values := range map[string][]any{
		"numbers":                      {0, 1, -1, 1 << 53, 1<<53 + 1, int64(math.MinInt64), uint64(math.MaxUint64), uint64(1 << 63)},
		"numbers and their text":       {1, 1.0, "1", true, []int{1}, []byte{1}, []byte("1"), complex(1, 0)},
		"floats":                       {0.1, float32(0.1), math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64},
		"nil, and a pointer to zero":   {(*int)(nil), new(int), pointer(1), pointer(new(int)), pointer((*int)(nil))},
		"zero values in a list":        {[]int{}, []int{0}, []int{0, 0}, []*int{nil}, []*int{new(int)}, []any{0}, []string{""}, []chargeLine{{}}},
		"lists and their nesting":      {[][]string{{"a", "b"}}, [][]string{{"a"}, {"b"}}, [][]string{{"ab"}}, []string{"a", "b"}, []string{"ab", ""}, [][]string{{"a", "b"}, nil}},
		"texts that join alike":        {[]string{"ab", "c"}, []string{"a", "bc"}, []string{"abc"}},
		"fields that join alike":       {struct{ A, B string }{"x", ""}, struct{ A, B string }{"", "x"}, struct{ AB string }{"x"}},
		"map keys and values":          {map[string]string{"a": "b"}, map[string]string{"b": "a"}, map[string]string{"a": ""}, map[string]string{}},
		"case, and forms of é":         {"É", "é", "e\u0301", "E\u0301"},
		"invalid UTF-8":                {"\xff", "\xfe", "\ufffd"},
		"times":                        {time.Unix(0, 0), time.Unix(0, 1), time.Unix(1, 0), time.Time{}, time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(-400, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)},
		"dynamic types":                {[]any{int32(5)}, []any{int64(5)}, []any{cents(5)}, []any{euros(5)}, []any{pointer(5)}, []any{5.0}},
		"typed and untyped nil":        {[]any{nil}, []any{(*int)(nil)}, []any{(*string)(nil)}, []any{[]int(nil)}},
		"cards that redact themselves": {pan("4111"), pan("4242"), struct{ P pan }{"4111"}, struct{ P pan }{"4242"}},
		"uuids":                        {someUUID{1}, someUUID{2}, someUUID{}},
		"addresses":                    {netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2"), netip.MustParseAddr("::1"), netip.MustParseAddr("fe80::1%eth0"), netip.MustParsePrefix("10.0.0.0/8"), netip.Addr{}},
		"urls":                         {parse("https://a/b"), parse("https://a/c"), parse("https://u@a/b"), parse("https://u:p@a/b"), parse("https://v:p@a/b"), parse("https://a/b?q=1"), &url.URL{}},
		"big numbers":                  {big.NewInt(1), big.NewInt(-1), new(big.Int).Lsh(big.NewInt(1), 100), big.NewRat(1, 3), big.NewFloat(0.5), *big.NewInt(2)},
		"internet addresses":           {net.IPv4(10, 0, 0, 1), net.IPv4(10, 0, 0, 2)},
		"embedded fields":              {embedsIt{plainInner{1}, 2}, embedsIt{plainInner{2}, 1}, embedsIt{}},
		"own methods over embedded":    {embedder{onlyJSON{1}, "a"}, embedder{onlyJSON{1}, "b"}, embedder{onlyJSON{2}, "a"}},
		"sole embedded field":          {struct{ onlyJSON }{onlyJSON{1}}, struct{ onlyJSON }{onlyJSON{2}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := map[string]int{}
			for i, v := range values {
				sum := mustFingerprint(t, v)
				if j, ok := seen[sum]; ok {
					t.Errorf("%#v and %#v are alike", values[j], v)
				}
				seen[sum] = i
			}
		})
	}
}

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
