package idem

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
)

type (
	textID   [16]byte
	ptrText  struct{ s string }
	badText  struct{}
	nilSafe  []string
	stringer int
)

func (t textID) MarshalText() ([]byte, error)   { return []byte(uuidText(t)), nil }
func (p *ptrText) MarshalText() ([]byte, error) { return []byte(p.s), nil }
func (badText) MarshalText() ([]byte, error)    { return nil, errors.New("secret of the key") }
func (n nilSafe) String() string                { return strings.Join(n, "+") }
func (s stringer) String() string               { return fmt.Sprintf("s%d", int(s)) }

func TestKey_TextOfEachKind(t *testing.T) {
	t.Parallel()
	type id string
	one := textID{15: 1}
	for name, c := range map[string]struct {
		key  Key
		want string // "": no key
	}{
		"string":                {StringKey("a b"), "a b"},
		"defined string":        {StringKey(id("x")), "x"},
		"negative int":          {IntKey(-5), "-5"},
		"zero int":              {IntKey(0), "0"},
		"uint64":                {UintKey(uint64(1<<64 - 1)), "18446744073709551615"},
		"text":                  {TextKey(netip.MustParseAddr("::1")), "::1"},
		"text by pointer":       {TextKey(&ptrText{"p"}), "p"},
		"nil pointer":           {TextKey((*ptrText)(nil)), ""},
		"nil marshaler":         {TextKey(nil), ""},
		"zero 16 bytes as text": {TextKey(textID{}), ""},
		"pointer to them":       {TextKey(&textID{}), ""},
		"16 bytes as text":      {TextKey(one), "00000000-0000-0000-0000-000000000001"},
		"16 bytes":              {UUIDKey(one), "00000000-0000-0000-0000-000000000001"},
		"zero 16 bytes":         {UUIDKey([16]byte{}), ""},
		"stringer":              {StringerKey(stringer(7)), "s7"},
		"nil stringer":          {StringerKey(nil), ""},
		"nil slice stringer":    {StringerKey(nilSafe(nil)), ""},
		"joined":                {JoinKeys(StringKey("abc"), StringKey("hello")), "3:abc5:hello"},
		"joined, empty part":    {JoinKeys(StringKey("abc"), StringKey("")), ""},
		"joined, missing part":  {JoinKeys(Key{}, StringKey("abc")), ""},
		"joined counts bytes":   {JoinKeys(StringKey("é"), IntKey(12)), "2:é2:12"},
		"in the context":        {KeyFromContext(WithKey(context.Background(), "k")), "k"},
		"not in the context":    {KeyFromContext(context.Background()), ""},
	} {
		if c.key.text != c.want || c.key.err != nil {
			t.Errorf("%s: %q, %v; want %q", name, c.key.text, c.key.err, c.want)
		}
		if _, kind := c.key.check(maxKey); (kind == nil) != (c.want != "") || kind != nil && !errors.Is(kind, ErrNoKey) {
			t.Errorf("%s: check says %v", name, kind)
		}
	}
}

func TestKey_AFailingMarshalerIsUnusableAndSaysNothing(t *testing.T) {
	t.Parallel()
	for _, k := range []Key{TextKey(badText{}), JoinKeys(StringKey("a"), TextKey(encoding.TextMarshaler(badText{})))} {
		reason, kind := k.check(maxKey)
		if !errors.Is(kind, ErrBadKey) || strings.Contains(reason, "secret") {
			t.Errorf("got %v, %q", kind, reason)
		}
	}
}

func TestKey_DoesNotPrintItself(t *testing.T) {
	t.Parallel()
	k := StringKey("canary")
	for _, text := range []string{fmt.Sprint(k), fmt.Sprintf("%v %+v %#v %s %q", k, k, k, k, k), fmt.Sprintf("%+v", struct{ K Key }{k})} {
		if strings.Contains(text, "canary") {
			t.Errorf("printed as %s", text)
		}
	}
}

func TestContext_TheMethodsContextHasItsOwnClaimAndNotTheCallersKey(t *testing.T) {
	t.Parallel()
	ctx, info := WithInfo(WithKey(context.Background(), "k"))
	outer := &Run{Operation: "outer", id: ID{1}, ended: new(atomic.Bool)}
	inner := &Run{Operation: "inner", id: ID{2}, ended: new(atomic.Bool)}
	octx := methodContext(ctx, outer)
	ictx := methodContext(octx, inner)
	if k := KeyFromContext(octx); k != (Key{}) {
		t.Error("the key travels on")
	}
	if i, _ := octx.Value(infoKey{}).(*Info); i != nil || info == nil {
		t.Error("the Info travels on")
	}
	if r, ok := FromContext(ictx); !ok || r.Operation != "inner" {
		t.Errorf("the innermost claim is %+v", r)
	}
	if !reentrant(ictx, ID{1}) || !reentrant(ictx, ID{2}) || reentrant(ictx, ID{3}) || reentrant(ctx, ID{1}) {
		t.Error("the chain of claims is not seen")
	}
	inner.ended.Store(true)
	if reentrant(ictx, ID{2}) || !reentrant(ictx, ID{1}) {
		t.Error("a run that has ended still counts")
	}
}

func TestDownstreamKey_IsStableAndHasTheFormOfAUUID(t *testing.T) {
	t.Parallel()
	a := downstreamKey(ID{1}, []byte{1, 2})
	if a != downstreamKey(ID{1}, []byte{1, 2}) || a == downstreamKey(ID{1}, []byte{1, 3}) || a == downstreamKey(ID{2}, []byte{1, 2}) {
		t.Error("it does not depend on the row and the arguments alone")
	}
	if len(a) != 36 || a[14] != '8' || !strings.ContainsRune("89ab", rune(a[19])) {
		t.Errorf("%s is no version 8 UUID", a)
	}
}
