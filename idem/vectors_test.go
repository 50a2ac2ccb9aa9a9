package idem

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"os"
	"testing"
	"time"
)

// This file pins what is stored. A vector never changes: rows of yesterday's program hold it, and a program that computes another one
// takes every retry for a different request. Adding vectors is fine.

type vectors struct {
	Fingerprints []struct{ Name, Canonical, Plain, Keyed string }
	IDs          []struct{ Operation, Scope, Key, ID string }
	Keys         []struct {
		Parts  []string
		Joined string
	}
	Schemas []struct{ Name, Text, Hash string }
}

func readVectors(t *testing.T) (v vectors) {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

var vectorKey = []byte("the key of the golden vectors")

// fingerprintVectors are the arguments behind the fingerprints in the file.
var fingerprintVectors = map[string]func(*Fingerprint){
	"nothing": func(*Fingerprint) {},
	"scalars": func(f *Fingerprint) {
		f.Add("bool", true)
		f.Add("int", -5)
		f.Add("least", int64(math.MinInt64))
		f.Add("uint", uint64(math.MaxUint64))
		f.Add("float", 0.1)
		f.Add("narrow", float32(0.1))
		f.Add("nan", math.NaN())
		f.Add("complex", 1-2i)
		f.Add("text", "h\u00e9\x00")
		f.Add("rune", 'x')
	},
	"zero values": func(f *Fingerprint) {
		f.Add("a", 0)
		f.Add("b", "")
		f.Add("c", math.Copysign(0, -1))
		f.Add("d", []int{})
		f.Add("e", chargeRequest{})
		f.Add("f", (*int)(nil))
		f.Add("g", nil)
		f.Add("h", [2]int{})
		f.Add("i", time.Time{})
		f.Add("j", big.Int{})
	},
	"unnamed parameters": func(f *Fingerprint) {
		f.Add("2", "a")
		f.Add("3", "b")
		f.Add("10", "c")
	},
	"bytes": func(f *Fingerprint) {
		f.Add("slice", []byte{1, 2})
		f.Add("array", [3]byte{1, 2, 3})
	},
	"lists": func(f *Fingerprint) {
		f.Add("slice", []int{0, 1})
		f.Add("array", [2]int{0, 1})
		f.Add("nested", [][]string{nil, {}, {""}})
		f.Add("pointers", []*int{nil, new(int)})
	},
	"maps": func(f *Fingerprint) {
		f.Add("texts", map[string]int{"b": 1, "a": 0, "aa": 2})
		f.Add("numbers", map[int8]bool{-1: true, 1: false})
	},
	"struct": func(f *Fingerprint) {
		f.Add("req", &chargeRequest{
			IdempotencyKey: "k-1", Amount: 1250, Currency: "EUR", Card: &card{Number: "4111111111111111"},
			Metadata: map[string]string{"order": "77"}, Lines: []chargeLine{{"sku", 1000}, {"", 250}},
			At: time.Date(2026, 2, 3, 4, 5, 6, 7, time.FixedZone("X", 3600)),
		})
	},
	"embedded": func(f *Fingerprint) { f.Add("v", embedsIt{plainInner{1}, 2}) },
	"pointers": func(f *Fingerprint) {
		f.Add("one", pointer(0))
		f.Add("two", pointer(pointer("x")))
	},
	"interfaces": func(f *Fingerprint) {
		f.Add("args", []any{1, "a", nil, cents(5), pointer(1.5), []any{true}, map[string]any{}})
		f.AddInterface("v", struct {
			A int `json:"a"`
		}{1})
	},
	"times": func(f *Fingerprint) {
		f.Add("early", time.Date(-1, 1, 1, 0, 0, 0, 999_999_999, time.UTC))
		f.Add("epoch", time.Unix(0, 0))
		f.Add("late", time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC))
		f.Add("duration", time.Second)
	},
	"marshaled": func(f *Fingerprint) {
		f.Add("text", decimal{150, 2})
		f.Add("binary", twofold{"\x00b", "j"})
		f.Add("json", onlyJSON{3})
		f.Add("unset", []decimal{{}, {0, 3}})
		f.Add("redacted", pan("4111"))
	},
	"library": func(f *Fingerprint) {
		f.Add("addr", netip.MustParseAddr("10.0.0.1"))
		f.Add("big", big.NewInt(-7))
		f.Add("uuid", someUUID{1})
		f.Add("url", url.URL{Scheme: "https", Host: "example.com", User: url.UserPassword("u", "p")})
	},
}

func TestVectors_FingerprintsNeverChange(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, v := range readVectors(t).Fingerprints {
		seen[v.Name] = true
		add := fingerprintVectors[v.Name]
		if add == nil {
			t.Errorf("the arguments of %q are gone", v.Name)
			continue
		}
		var f Fingerprint
		add(&f)
		canonical, err := f.canonical()
		if err != nil {
			t.Fatal(err)
		}
		plain, _ := f.sum(nil)
		keyed, _ := f.sum(vectorKey)
		for what, pair := range map[string][2]string{
			"canonical bytes": {hex.EncodeToString(canonical), v.Canonical},
			"fingerprint":     {hex.EncodeToString(plain), v.Plain},
			"keyed":           {hex.EncodeToString(keyed), v.Keyed},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %s\ngot  %s\nwant %s", v.Name, what, pair[0], pair[1])
			}
		}
	}
	for name := range fingerprintVectors {
		if !seen[name] {
			t.Errorf("%q is not in the file", name)
		}
	}
}

func TestVectors_IDsNeverChange(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors(t).IDs {
		if got := RowID(Ref{v.Operation, v.Scope, v.Key}).String(); got != v.ID {
			t.Errorf("%+v: got %s", v, got)
		}
	}
}

func TestVectors_JoinedKeysNeverChange(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors(t).Keys {
		var parts []Key
		for _, p := range v.Parts {
			parts = append(parts, StringKey(p))
		}
		if got := JoinKeys(parts...).text; got != v.Joined {
			t.Errorf("%+v: got %s", v, got)
		}
	}
}
