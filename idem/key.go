package idem

import (
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file makes keys: from the values the annotations name, to the text that is stored, to the row's id. All three are
// stored data and pinned by golden vectors.

// The longest operation, scope and key, in bytes.
const (
	maxOperation = 1024
	maxScope     = 255
	maxKey       = 255
)

// Key is a key or a scope, or the reason why there is none. The zero Key means that there is none. It never prints itself.
type Key struct {
	text string
	set  bool
	err  error
}

// String hides the key, so that it can't slip into a log.
func (k Key) String() string { return "idem.Key(hidden)" }

// GoString hides the key.
func (k Key) GoString() string { return k.String() }

// StringKey takes s as it is: it is never trimmed, folded or normalised.
func StringKey[S ~string](s S) Key { return Key{text: string(s), set: true} }

// IntKey is the decimal text of n.
func IntKey[N ~int | ~int8 | ~int16 | ~int32 | ~int64](n N) Key {
	return StringKey(strconv.FormatInt(int64(n), 10))
}

// UintKey is the decimal text of n.
func UintKey[N ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr](n N) Key {
	return StringKey(strconv.FormatUint(uint64(n), 10))
}

// TextKey is m's text; an error of it makes the key unusable. A nil m or pointer, and a zero value of a type whose underlying
// type is [16]byte, are no key.
func TextKey(m encoding.TextMarshaler) Key {
	if missing(m) {
		return Key{}
	}
	b, err := m.MarshalText()
	if err != nil {
		return Key{err: errors.New("its MarshalText failed")}
	}
	return StringKey(string(b))
}

// StringerKey is s's String. A nil s or pointer, and a zero value of a type whose underlying type is [16]byte, are no key.
func StringerKey(s fmt.Stringer) Key {
	if missing(s) {
		return Key{}
	}
	return StringKey(s.String())
}

// UUIDKey is the UUID text of b; the zero value is no key.
func UUIDKey[B ~[16]byte](b B) Key {
	if b == *new(B) {
		return Key{}
	}
	return StringKey(uuidText([16]byte(b)))
}

// missing reports whether v is nil, a nil pointer, or the zero value of a 16-byte array type: what an unset id looks like.
func missing(v any) bool {
	r := reflect.ValueOf(v)
	for r.Kind() == reflect.Pointer && !r.IsNil() {
		r = r.Elem()
	}
	switch r.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Interface:
		return r.IsNil()
	case reflect.Array:
		return r.Len() == 16 && r.Type().Elem().Kind() == reflect.Uint8 && r.IsZero()
	default:
		return false
	}
}

// JoinKeys is one key of several parts, each as its decimal length, a colon and its text, as in 3:abc5:hello, so that no
// two lists of parts give the same key. A part that is missing or empty makes the whole missing, an unusable one unusable.
func JoinKeys(parts ...Key) Key {
	var b strings.Builder
	for _, p := range parts {
		if p.err != nil || !p.set || p.text == "" {
			return Key{err: p.err}
		}
		b.WriteString(strconv.Itoa(len(p.text)))
		b.WriteByte(':')
		b.WriteString(p.text)
	}
	return StringKey(b.String())
}

type contextKey struct{}

// WithKey returns a context that carries a client's key, say of an Idempotency-Key header, to methods annotated with
// "key context". Inside such a method the key is gone: it was for that call alone.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, contextKey{}, StringKey(key))
}

// KeyFromContext returns the key that WithKey put into ctx, or the zero Key.
func KeyFromContext(ctx context.Context) Key {
	k, _ := ctx.Value(contextKey{}).(Key)
	return k
}

// ID is a row's primary key: the first 16 bytes of SHA-256 over the byte 1, then for operation, scope and key each its
// length in bytes (4 bytes, big endian) and its bytes.
type ID [16]byte

// String is the id as UUID text.
func (id ID) String() string { return uuidText(id) }

// RowID is the id of the row of r, the same in every store.
func RowID(r Ref) (id ID) {
	b := make([]byte, 1, 1+3*4+len(r.Operation)+len(r.Scope)+len(r.Key))
	b[0] = 1
	for _, s := range [...]string{r.Operation, r.Scope, r.Key} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	sum := sha256.Sum256(b)
	copy(id[:], sum[:])
	return id
}

// hash is what messages and events say instead of the key.
func (id ID) hash() string { return hex.EncodeToString(id[:4]) }

func uuidText(b [16]byte) string {
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// check says why k can't be a key (or scope) of at most limit bytes: ErrNoKey, ErrBadKey with a reason, or nil.
func (k Key) check(limit int) (reason string, kind error) {
	switch {
	case k.err != nil:
		return k.err.Error(), ErrBadKey
	case !k.set || k.text == "":
		return "", ErrNoKey
	case len(k.text) > limit:
		return fmt.Sprintf("%d bytes long; at most %d are allowed", len(k.text), limit), ErrBadKey
	case !utf8.ValidString(k.text):
		return "not valid UTF-8", ErrBadKey
	case strings.ContainsFunc(k.text, unicode.IsControl):
		return "it holds a control character", ErrBadKey
	case strings.TrimSpace(k.text) == "":
		return "it is blank", ErrBadKey
	default:
		return "", nil
	}
}
