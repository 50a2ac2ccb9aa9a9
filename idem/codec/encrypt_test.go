package codec_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/codec"
)

// This file is about encrypted results: who can read which bytes.

type receipt struct {
	ID    string
	Cents int64
}

func key(b byte) []byte {
	k := bytes.Repeat([]byte{b}, codec.KeySize)
	k[0]++
	return k
}

func keyring(t testing.TB, current string, ids ...string) *codec.Keyring {
	t.Helper()
	keys := map[string][]byte{}
	for _, id := range append(ids, current) {
		keys[id] = key(id[0])
	}
	k, err := codec.NewKeyring(current, keys)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

var ref = idem.Ref{Operation: "shop.Charge", Scope: "tenant", Key: "order-7"}

// encrypted is the codec of most tests.
func encrypted(k codec.Keys, opts ...codec.EncryptOption) codec.Encrypted[receipt, idem.JSON[receipt]] {
	return codec.Encrypt(k, idem.JSON[receipt]{}, opts...)
}

// read is what the engine does with a row.
func read[T any](c idem.Codec[T], ref idem.Ref, name string, data []byte) (v T, err error) {
	for {
		u, ok := c.(idem.Unwrapper[T])
		if !ok {
			break
		}
		if c, name, data, err = u.Unwrap(ref, name, data); err != nil {
			return v, err
		}
	}
	if name != c.Name() {
		return v, fmt.Errorf("stored by %s", name)
	}
	return c.Decode(ref, data)
}

func encode[T any](t testing.TB, c idem.Codec[T], ref idem.Ref, v T) []byte {
	t.Helper()
	data, err := c.Encode(ref, v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEncrypt_BytesShowNothingAndComeBack(t *testing.T) {
	t.Parallel()
	c := encrypted(keyring(t, "a"))
	want := receipt{"secret-charge", 1999}
	first, second := encode(t, c, ref, want), encode(t, c, ref, want)
	if bytes.Equal(first, second) || bytes.Contains(first, []byte("secret")) {
		t.Errorf("%q and %q", first, second)
	}
	for _, data := range [][]byte{first, second} {
		if got, err := c.Decode(ref, data); err != nil || got != want {
			t.Errorf("decoded: %v, %v", got, err)
		}
		if got, err := read(c, ref, "aesgcm+json", data); err != nil || got != want {
			t.Errorf("unwrapped: %v, %v", got, err)
		}
	}
	if c.Name() != "aesgcm+json" || c.Check() != nil {
		t.Error(c.Name(), c.Check())
	}
}

func TestEncrypt_BytesOfOneRowAreUnreadableInAnother(t *testing.T) {
	t.Parallel()
	c := encrypted(keyring(t, "a"))
	data := encode(t, c, ref, receipt{"charge", 1})
	for name, other := range map[string]idem.Ref{
		"another key":       {Operation: ref.Operation, Scope: ref.Scope, Key: "order-8"},
		"another scope":     {Operation: ref.Operation, Scope: "", Key: ref.Key},
		"another operation": {Operation: "shop.Refund", Scope: ref.Scope, Key: ref.Key},
		"moved boundaries":  {Operation: ref.Operation + ref.Scope, Scope: "", Key: ref.Key},
		"moved to the key":  {Operation: ref.Operation, Scope: "", Key: ref.Scope + ref.Key},
	} {
		if got, err := read(c, other, "aesgcm+json", data); err == nil || got != (receipt{}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	// nor as what another codec was wrapped around
	if got, err := read(codec.Encrypt(keyring(t, "a"), codec.Gob[receipt]{}), ref, "aesgcm+gob", data); err == nil {
		t.Errorf("as gob: %v", got)
	}
	if _, _, _, err := c.Unwrap(ref, "aesgcm+zstd+json", data); err == nil {
		t.Error("as something compressed")
	}
}

func TestEncrypt_AnyChangedBitIsNoticed(t *testing.T) {
	t.Parallel()
	c := encrypted(keyring(t, "a", "b"))
	data := encode(t, c, ref, receipt{"charge", 1})
	for i := range data {
		for bit := range 8 {
			bad := bytes.Clone(data)
			bad[i] ^= 1 << bit
			if got, err := c.Decode(ref, bad); err == nil {
				t.Errorf("bit %d of byte %d: %v", bit, i, got)
			}
		}
		if got, err := c.Decode(ref, data[:i]); err == nil {
			t.Errorf("%d bytes: %v", i, got)
		}
	}
}

func TestEncrypt_KeysAreChangedWhileRowsAreThere(t *testing.T) {
	t.Parallel()
	before, during, after := encrypted(keyring(t, "a")), encrypted(keyring(t, "b", "a")), encrypted(keyring(t, "b"))
	want := receipt{"charge", 1}
	old, fresh := encode(t, before, ref, want), encode(t, during, ref, want)
	for name, data := range map[string][]byte{"the old key's": old, "the new key's": fresh} {
		if got, err := during.Decode(ref, data); err != nil || got != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := after.Decode(ref, fresh); err != nil || got != want {
		t.Errorf("%v, %v", got, err)
	}
	_, err := after.Decode(ref, old)
	if !errors.Is(err, codec.ErrUnknownKey) || err.Error() != `it is encrypted with key "a", which this program does not have` {
		t.Errorf("a key that is gone: %v", err)
	}
	other, err := codec.NewKeyring("a", map[string][]byte{"a": key('z')})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := encrypted(other).Decode(ref, old); err == nil || errors.Is(err, codec.ErrUnknownKey) {
		t.Errorf("another key of that id: %v", err)
	}
}

func TestEncrypt_PlaintextIsRefusedUnlessItIsAccepted(t *testing.T) {
	t.Parallel()
	k, want := keyring(t, "a"), receipt{"charge", 1}
	plain, sealed := encode(t, idem.JSON[receipt]{}, ref, want), encode(t, encrypted(k), ref, want)
	for name, c := range map[string]struct {
		codec         codec.Encrypted[receipt, idem.JSON[receipt]]
		plain, stores bool
	}{
		"on":            {encrypted(k), false, false},
		"switching on":  {encrypted(k, codec.AcceptPlaintext()), true, false},
		"switching off": {encrypted(k, codec.StorePlaintext()), true, true},
	} {
		if got, err := read(c.codec, ref, "aesgcm+json", sealed); err != nil || got != want {
			t.Errorf("%s: encrypted: %v, %v", name, got, err)
		}
		got, err := read(c.codec, ref, "json", plain)
		if c.plain && (err != nil || got != want) || !c.plain && (err == nil || got != (receipt{})) {
			t.Errorf("%s: in plain text: %v, %v", name, got, err)
		}
		data := encode(t, c.codec, ref, want)
		if stores := bytes.Equal(data, plain); stores != c.stores || stores != (c.codec.Name() == "json") {
			t.Errorf("%s: it stores %q as %s", name, data, c.codec.Name())
		}
		if got, err := c.codec.Decode(ref, data); err != nil || got != want {
			t.Errorf("%s: its own: %v, %v", name, got, err)
		}
	}
}

// The bytes are stored data: this one was made by hand from AES-256-GCM, with nonce 000102…0b.
func TestEncrypt_StoredBytesStayReadable(t *testing.T) {
	t.Parallel()
	data, err := hex.DecodeString(sealedVector)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(encrypted(keyring(t, "a")), ref, "aesgcm+json", data)
	if err != nil || got != (receipt{"charge", 1999}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestKeyring_RefusesWhatIsNoKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		current string
		keys    map[string][]byte
		says    string
	}{
		"no current key":    {"b", map[string][]byte{"a": key(1)}, "not among"},
		"none at all":       {"", nil, "not among"},
		"a short one":       {"a", map[string][]byte{"a": key(1)[:16]}, "16 bytes"},
		"zeros":             {"a", map[string][]byte{"a": make([]byte, 32)}, "over and over"},
		"an empty id":       {"", map[string][]byte{"": key(1)}, "id of a key"},
		"a long id":         {strings.Repeat("a", 256), map[string][]byte{strings.Repeat("a", 256): key(1)}, "id of a key"},
		"a control in one":  {"a\n", map[string][]byte{"a\n": key(1)}, "id of a key"},
		"one with two ids":  {"a", map[string][]byte{"a": key(1), "b": key(1)}, "the same"},
		"one of several is": {"a", map[string][]byte{"a": key(1), "b": nil}, "0 bytes"},
	} {
		if k, err := codec.NewKeyring(c.current, c.keys); err == nil || k != nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v", name, k, err)
		}
	}
	mine := map[string][]byte{"a": key(1)}
	k, err := codec.NewKeyring("a", mine)
	if err != nil {
		t.Fatal(err)
	}
	clear(mine["a"])
	if _, got, err := k.Current(); err != nil || !bytes.Equal(got, key(1)) {
		t.Error("it shares the caller's memory")
	}
}

func TestEncrypt_NoWayOfPrintingShowsAKey(t *testing.T) {
	t.Parallel()
	k := keyring(t, "a", "b")
	c := encrypted(k)
	encode(t, c, ref, receipt{}) // fills the cache
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("", "keys", k, "codec", c)
	slog.New(slog.NewTextHandler(&log, nil)).Info("", "keys", k, "codec", c)
	text := log.String()
	for _, v := range []any{k, *k, c, &c, []any{k, c}, struct{ K *codec.Keyring }{k}, struct{ K codec.Keyring }{*k}} {
		j, _ := json.Marshal(v)
		text += fmt.Sprintf("%v %+v %#v %s %x %d %s\n", v, v, v, v, v, v, j)
	}
	for _, id := range []string{"a", "b"} {
		b := key(id[0])
		for _, form := range []string{string(b[:8]), hex.EncodeToString(b[:8]), fmt.Sprint(b[1:8])[1:20], fmt.Sprintf("%#v", b[1:6])[7:20]} {
			if strings.Contains(text, form) {
				t.Errorf("%q shows in %s", form, text)
			}
		}
	}
	if !strings.Contains(text, `codec.Keyring(current "a" of 2)`) {
		t.Error(text)
	}
}

func TestEncrypt_WithoutUsableKeysNothingRuns(t *testing.T) {
	t.Parallel()
	var none *codec.Keyring
	for name, c := range map[string]interface {
		idem.Codec[receipt]
		Check() error
	}{
		"no keys":         encrypted(nil),
		"a nil keyring":   encrypted(none),
		"the zero value":  codec.Encrypted[receipt, idem.JSON[receipt]]{},
		"keys that fail":  encrypted(failing{}),
		"a short key":     encrypted(short{}),
		"no codec":        codec.Encrypt[receipt, idem.Codec[receipt]](keyring(t, "a"), nil),
		"an unusable one": codec.Encrypt(keyring(t, "a"), encrypted(nil)),
	} {
		if err := c.Check(); err == nil {
			t.Errorf("%s: nothing is wrong", name)
		}
		if !strings.HasPrefix(c.Name(), "aesgcm+") {
			t.Errorf("%s: its name is %s", name, c.Name())
		}
		ran := false
		if err := call(t, c, &ran); !errors.Is(err, idem.ErrBadOperation) || ran {
			t.Errorf("%s: %v, ran: %v", name, err, ran)
		}
	}
}

type failing struct{}

func (failing) Current() (string, []byte, error) { return "", nil, errors.New("the vault is sealed") }
func (failing) Key(string) ([]byte, error)       { return nil, errors.New("the vault is sealed") }

type short struct{}

func (short) Current() (string, []byte, error) { return "a", make([]byte, 16), nil }
func (short) Key(string) ([]byte, error)       { return make([]byte, 16), nil }

func TestEncrypt_KeysThatCannotBeHadMakeARowUnreadable(t *testing.T) {
	t.Parallel()
	data := encode(t, encrypted(keyring(t, "a")), ref, receipt{"charge", 1})
	for name, k := range map[string]codec.Keys{"they fail": failing{}, "they are short": short{}} {
		if got, err := encrypted(k).Decode(ref, data); err == nil || strings.Contains(err.Error(), "vault") {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestEncrypt_ManyAtOnce(t *testing.T) {
	t.Parallel()
	c := encrypted(keyring(t, "a", "b"))
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for i := range 50 {
				ref := idem.Ref{Operation: "op", Key: fmt.Sprint(n, i)}
				want := receipt{fmt.Sprint(n), int64(i)}
				data, err := c.Encode(ref, want)
				if got, failed := c.Decode(ref, data); err != nil || failed != nil || got != want {
					t.Errorf("%v, %v, %v", got, err, failed)
				}
			}
		})
	}
	wg.Wait()
}

func TestIsEncrypted(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"aesgcm+json": true, "zstd+aesgcm+json": true, "aesgcm+zstd+proto": true,
		"json": false, "zstd+json": false, "aesgcms+json": false, "void": false, "": false,
	} {
		if codec.IsEncrypted(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

func FuzzEncrypted(f *testing.F) {
	k := keyring(f, "a", "b")
	c := encrypted(k, codec.AcceptPlaintext())
	f.Add("aesgcm+json", encode(f, c, ref, receipt{"charge", 1}))
	f.Add("aesgcm+json", []byte{1, 1, 'a'})
	f.Add("json", []byte("{}"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		before := bytes.Clone(data)
		_, _ = read(c, ref, name, data)
		_, _ = c.Decode(ref, data)
		if !bytes.Equal(data, before) {
			t.Error("the row's bytes were changed")
		}
	})
}
