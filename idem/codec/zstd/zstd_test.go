package zstd_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	kzstd "github.com/klauspost/compress/zstd"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/codec"
	"github.com/idemgen/idemgen/idem/codec/zstd"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is about compressed results: what becomes smaller, what is read of which bytes, and what a few bytes can't do.

var ref = idem.Ref{Operation: "shop.Report", Key: "k"}

// plain stores bytes as they are.
type plain struct{}

func (plain) Name() string                                   { return "plain" }
func (plain) Encode(_ idem.Ref, v []byte) ([]byte, error)    { return v, nil }
func (plain) Decode(_ idem.Ref, data []byte) ([]byte, error) { return bytes.Clone(data), nil }

var lines = []byte(strings.Repeat("a line of a report; ", 1000))

func noise(n int) []byte {
	data := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(data)
	return data
}

func TestCompress_LargeResultsAreSmallerAndAllComeBack(t *testing.T) {
	t.Parallel()
	c := zstd.Compress(plain{})
	for name, data := range map[string][]byte{
		"nothing": {}, "a byte": {0}, "below the limit": lines[:4095], "at the limit": lines[:4096], "large": lines,
		"larger than a window": bytes.Repeat(lines, 150), "noise": noise(10_000), "zeros": make([]byte, 1<<20),
	} {
		stored, err := c.Encode(ref, data)
		if err != nil {
			t.Fatal(name, err)
		}
		back, err := c.Decode(ref, stored)
		if err != nil || !bytes.Equal(back, data) {
			t.Errorf("%s: %d bytes came back as %d, %v", name, len(data), len(back), err)
		}
		if smaller := len(stored) < len(data)/2; smaller != (len(data) >= 4096 && name != "noise") || len(stored) > len(data)+1 {
			t.Errorf("%s: %d bytes are stored as %d", name, len(data), len(stored))
		}
	}
	if c.Name() != "zstd+plain" || c.Check() != nil {
		t.Error(c.Name(), c.Check())
	}
}

func TestCompress_OptionsAndTheZeroValue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		codec idem.Codec[[]byte]
		size  int
		want  bool
	}{
		"from 100":       {zstd.Compress(plain{}, zstd.From(100)), 100, true},
		"below":          {zstd.Compress(plain{}, zstd.From(100)), 99, false},
		"always":         {zstd.Compress(plain{}, zstd.From(0)), 60, true},
		"the zero value": {zstd.Compressed[[]byte, plain]{}, 4096, true},
	} {
		data, err := c.codec.Encode(ref, lines[:c.size])
		if err != nil || len(data) < c.size != c.want {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
		if back, err := c.codec.Decode(ref, data); err != nil || !bytes.Equal(back, lines[:c.size]) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCompress_AFewBytesCannotFillTheMemory(t *testing.T) { // alone: it counts what is allocated
	const large, limit = 64 << 20, 1 << 20
	bomb, hidden := bombOf(t, large), streamedBomb(t, large)
	if len(bomb) > 64<<10 {
		t.Fatalf("a bomb of %d bytes", len(bomb))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for name, data := range map[string][]byte{
		"a bomb": bomb, "one that hides its size": hidden,
		"one that lies": {1, 0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1, 0, 0},
	} {
		_, err := zstd.Compress(plain{}, zstd.MaxDecoded(limit)).Decode(ref, data)
		if err == nil || name == "a bomb" && err.Error() != "it has more than the 1048576 bytes that are read (see zstd.MaxDecoded)" {
			t.Errorf("%s: %v", name, err)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 24<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
}

func bombOf(t testing.TB, size int) []byte {
	t.Helper()
	e, err := kzstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	return e.EncodeAll(make([]byte, size), []byte{1})
}

func streamedBomb(t testing.TB, size int) []byte {
	t.Helper()
	b := bytes.NewBuffer([]byte{1})
	e, err := kzstd.NewWriter(b)
	if err != nil {
		t.Fatal(err)
	}
	for range size >> 20 {
		if _, err := e.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is stored must be readable by the same settings: else a result would be lost that looked stored.
func TestCompress_WhatWouldNotBeReadIsNotStored(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 100, 5000, 20_000, 17 << 20} {
		c := zstd.Compress(plain{}, zstd.MaxDecoded(limit))
		for _, size := range []int{limit - 1, limit, limit + 1} {
			data := bytes.Repeat([]byte("ab"), size/2+1)[:size]
			stored, err := c.Encode(ref, data)
			if (err == nil) != (size <= limit) {
				t.Errorf("%d of %d: %v", size, limit, err)
			}
			if err == nil {
				if back, err := c.Decode(ref, stored); err != nil || !bytes.Equal(back, data) {
					t.Errorf("%d of %d is not read again: %v", size, limit, err)
				}
			}
		}
	}
	// and a row of a time when the limit was higher
	stored, err := zstd.Compress(plain{}).Encode(ref, lines)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{stored, append([]byte{0}, lines...)} {
		if _, err := zstd.Compress(plain{}, zstd.MaxDecoded(1000)).Decode(ref, data); err == nil || !strings.Contains(err.Error(), "MaxDecoded") {
			t.Errorf("%v", err)
		}
	}
}

func TestCompress_ChangedBytesAreAnErrorAndNoPanic(t *testing.T) {
	t.Parallel()
	c := zstd.Compress(plain{})
	stored, err := c.Encode(ref, lines)
	if err != nil {
		t.Fatal(err)
	}
	for i := range stored {
		for bit := range 8 {
			bad := bytes.Clone(stored)
			bad[i] ^= 1 << bit
			if back, err := c.Decode(ref, bad); err == nil && !bytes.Equal(back, lines) && i > 0 {
				t.Errorf("bit %d of byte %d: %d bytes", bit, i, len(back))
			}
		}
		if back, err := c.Decode(ref, stored[:i]); err == nil && i > 1 {
			t.Errorf("the first %d bytes: %d bytes", i, len(back))
		}
	}
	for name, data := range map[string][]byte{"nothing": {}, "another form": {2, 1}} {
		if _, err := c.Decode(ref, data); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

// The bytes are stored data; what a later version of the library writes may differ, and must read these.
func TestCompress_StoredBytesStayReadable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bytes string
		want  string
	}{
		"as it is":  {"0022616222", `"ab"`},
		"one frame": {frameVector, `"` + strings.Repeat("abc", 50) + `"`},
	} {
		data, err := hex.DecodeString(c.bytes)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := zstd.Compress(plain{}).Decode(ref, data); err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

const frameVector = "0128b52ffd04006d0000282261626322015404022b10036418e0fb"

func TestCompress_ManyAtOnce(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			c := zstd.Compress(plain{}, zstd.MaxDecoded(1<<20+n%2))
			for i := range 20 {
				data := bytes.Repeat(fmt.Append(nil, n, i), 3000)
				stored, err := c.Encode(ref, data)
				if back, failed := c.Decode(ref, stored); err != nil || failed != nil || !bytes.Equal(back, data) {
					t.Errorf("%v, %v", err, failed)
				}
			}
		})
	}
	wg.Wait()
}

func TestCompress_RefusesWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	k, err := codec.NewKeyring("a", map[string][]byte{"a": noise(32)})
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"no codec":        zstd.Compress[[]byte, idem.Codec[[]byte]](nil).Check(),
		"encrypted first": zstd.Compress(codec.Encrypt(k, plain{})).Check(),
		"an unusable one": zstd.Compress(codec.Encrypt(nil, plain{}, codec.StorePlaintext())).Check(),
	} {
		if err == nil {
			t.Errorf("%s is not refused", name)
		}
	}
	if err := codec.Encrypt(k, zstd.Compress(plain{})).Check(); err != nil {
		t.Error(err)
	}
}

// TestCompress_IsSwitchedOnAndOffWhileRowsAreThere: alone and within encryption, in every order.
func TestCompress_IsSwitchedOnAndOffWhileRowsAreThere(t *testing.T) {
	t.Parallel()
	k, err := codec.NewKeyring("a", map[string][]byte{"a": noise(32)})
	if err != nil {
		t.Fatal(err)
	}
	p := plain{}
	type c = idem.Codec[[]byte]
	for name, s := range map[string]struct {
		stored, reads c
		ok            bool
	}{
		"on":                               {p, zstd.Compress(p), true},
		"off":                              {zstd.Compress(p), zstd.Compress(p, zstd.StoreUncompressed()), true},
		"off, in an older process":         {zstd.Compress(p, zstd.StoreUncompressed()), zstd.Compress(p), true},
		"off, in one that never had it":    {zstd.Compress(p, zstd.StoreUncompressed()), p, true},
		"taken off too early":              {zstd.Compress(p), p, false},
		"on, within encryption":            {codec.Encrypt(k, p), codec.Encrypt(k, zstd.Compress(p)), true},
		"off, within encryption":           {codec.Encrypt(k, zstd.Compress(p)), codec.Encrypt(k, zstd.Compress(p, zstd.StoreUncompressed())), true},
		"encryption on, over it":           {zstd.Compress(p), codec.Encrypt(k, zstd.Compress(p), codec.AcceptPlaintext()), true},
		"both on at once":                  {p, codec.Encrypt(k, zstd.Compress(p), codec.AcceptPlaintext()), true},
		"encryption on, without saying so": {zstd.Compress(p), codec.Encrypt(k, zstd.Compress(p)), false},
		"encryption off":                   {codec.Encrypt(k, zstd.Compress(p)), codec.Encrypt(k, zstd.Compress(p), codec.StorePlaintext()), true},
	} {
		store := idemtest.NewStore()
		if out, err := do(t, store, s.stored, lines); err != nil || !bytes.Equal(out, lines) {
			t.Fatal(name, err)
		}
		out, err := do(t, store, s.reads, []byte("ran again"))
		if s.ok && (err != nil || !bytes.Equal(out, lines)) || !s.ok && (!errors.Is(err, idem.ErrUnreadable) || out != nil) {
			t.Errorf("%s: %.20q, %v", name, out, err)
		}
	}
}

// The engine's limit is on what is stored: what compresses well fits, and what is too large once compressed is a tombstone.
func TestCompress_TheEnginesLimitIsOnWhatIsStored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result []byte
		codec  string
		opts   []zstd.Option
	}{
		"it fits once compressed":      {lines, "zstd+plain", nil},
		"it does not":                  {noise(10_000), "none", nil},
		"it would not be read again":   {lines, "none", []zstd.Option{zstd.MaxDecoded(1000)}},
		"just what is not compressed":  {noise(1999), "zstd+plain", nil},
		"one too many by its own byte": {noise(2000), "none", nil},
	} {
		store := idemtest.NewStore()
		if out, err := do(t, store, zstd.Compress(plain{}, c.opts...), c.result, idem.WithMaxResult(2000)); err != nil || !bytes.Equal(out, c.result) {
			t.Errorf("%s: the winner gets %v", name, err)
		}
		if r := store.Row(idem.RowID(ref)); r.State != idem.StateDone || r.Codec != c.codec {
			t.Errorf("%s: stored by %s", name, r.Codec)
		}
		out, err := do(t, store, zstd.Compress(plain{}, c.opts...), []byte("ran again"))
		if c.codec == "none" && !errors.Is(err, idem.ErrResultNotStored) || c.codec != "none" && (err != nil || !bytes.Equal(out, c.result)) {
			t.Errorf("%s: %.20q, %v", name, out, err)
		}
	}
}

func do(t testing.TB, s *idemtest.Store, c idem.Codec[[]byte], v []byte, opts ...idem.Option) ([]byte, error) {
	t.Helper()
	e, err := idem.New(s, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	op := idem.Operation[[]byte]{Name: ref.Operation, Codec: c}
	return idem.Do(t.Context(), e, &op, idem.Call[[]byte]{
		Key: idem.StringKey(ref.Key), Run: func(context.Context) ([]byte, error) { return v, nil },
	})
}

// Results of many types come back through all layers.
func TestCompress_ManyTypes(t *testing.T) {
	t.Parallel()
	comesBack[string](t)
	comesBack[[]string](t)
	comesBack[map[string]int](t)
	comesBack[*int](t)
	comesBack[[3]bool](t)
	comesBack[struct {
		A string
		B []struct{ C *float64 }
		D map[string][]byte
	}](t)
}

func comesBack[T any](t *testing.T) {
	t.Helper()
	k, err := codec.NewKeyring("a", map[string][]byte{"a": noise(32)})
	if err != nil {
		t.Fatal(err)
	}
	idemtest.RoundTrip(t, &idem.Operation[T]{Name: "all layers", Codec: codec.Encrypt(k, zstd.Compress(idem.JSON[T]{}, zstd.From(20)))})
}

func TestCompress_LeavesNoGoroutine(t *testing.T) {
	idemtest.NoLeaks(t)
	c := zstd.Compress(plain{}, zstd.MaxDecoded(1<<20+77))
	stored, err := c.Encode(ref, lines)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Decode(ref, stored); err != nil {
		t.Fatal(err)
	}
}

func FuzzCompressed(f *testing.F) {
	c := zstd.Compress(plain{}, zstd.MaxDecoded(1<<20))
	for _, data := range [][]byte{nil, lines, noise(5000), make([]byte, 1<<20)} {
		stored, err := c.Encode(ref, data)
		if err != nil {
			f.Fatal(err)
		}
		f.Add("zstd+plain", stored)
	}
	f.Add("plain", []byte("x"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		before := bytes.Clone(data)
		_, _, rest, err := c.Unwrap(ref, name, data)
		if err == nil && strings.HasPrefix(name, "zstd+") && len(rest) > 1<<20 {
			t.Errorf("%d bytes", len(rest))
		}
		if !bytes.Equal(before, data) {
			t.Error("the row's bytes were changed")
		}
	})
}
