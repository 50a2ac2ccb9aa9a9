// Package kinds has a key of every kind.
package kinds

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
)

// ID is a string.
type ID string

// Code prints itself.
type Code int

// String prints it.
func (c Code) String() string { return "C" + strconv.Itoa(int(c)) }

// UUID is 16 bytes.
type UUID [16]byte

// Hash is 16 bytes, and prints itself.
type Hash [16]byte

// String prints it.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Ref is written by its pointer only.
type Ref struct{ Shop, No string }

// MarshalText writes it.
func (r *Ref) MarshalText() ([]byte, error) { return []byte(r.Shop + r.No), nil }

// Tag is printed by its pointer only.
type Tag struct{ Name string }

func (t *Tag) String() string { return t.Name }

// Holder holds them.
type Holder struct {
	Ref  Ref
	Tags map[string]Tag
}

// Tag gives a value that has no address.
func (h Holder) Tag() Tag { return h.Tags["s"] }

// Kinds has them all.
//
//idem:wrap
type Kinds[S ~string, N interface{ ~int8 | ~int64 }] interface {
	//idem:key id
	A(ctx context.Context, id ID) error
	//idem:key s
	B(ctx context.Context, s S) error
	//idem:key n
	C(ctx context.Context, n N) error
	//idem:key n
	D(ctx context.Context, n uint16) error
	//idem:key c
	E(ctx context.Context, c Code) error
	//idem:key u
	F(ctx context.Context, u UUID) error
	//idem:key h
	G(ctx context.Context, h Hash) error
	//idem:key addr
	H(ctx context.Context, addr netip.Addr) error
	//idem:key s
	I(ctx context.Context, s fmt.Stringer) error
	//idem:key r
	J(ctx context.Context, r Ref) error
	//idem:key h.Ref, t
	K(ctx context.Context, h Holder, t Tag) error
	//idem:key r
	L(ctx context.Context, r *Ref) error
	//idem:key 'x' + n
	M(ctx context.Context, n rune) error
	//idem:key "m-" + string(id)
	N(ctx context.Context, id ID) error
}

var samples = []any{fmt.Stringer(Code(7)), netip.MustParseAddr("192.0.2.1")}
