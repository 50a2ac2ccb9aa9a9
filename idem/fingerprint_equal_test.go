package idem

import (
	"math"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"testing"
	"time"
)

// This file is what counts as equal, and what does not.

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
