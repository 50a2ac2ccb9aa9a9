package gotypes_test

//lint:file-ignore U1000 Some samples are wrong on purpose, and some fields are there to be lost.

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// This file is the declared types with embedded fields.

// Embedding.
type (
	Base struct{ ID int }
	base struct{ ID int }
	Bare struct{}

	embeds     struct{ Base }
	embedsMore struct {
		Base
		Name string
	}
	embedsHidden struct {
		base
		Name string
	}
	embedsPointer struct {
		*Base
		Name string
	}
	embedsHiddenPtr struct {
		*base
		Name string
	}
	embedsMethods struct {
		*Methods
	}
	Methods        struct{ A jsonPointers }
	embedsOptional struct {
		*Optional
		Name string
	}
	embedsBare struct {
		*Bare
		Name string
	}
	Optional struct {
		A int `json:",omitempty"`
	}
	embedsTagged struct {
		Base `json:"base"`
		Name string
	}
	embedsTaggedLow struct {
		base `json:"base"`
		Name string
	}
	embedsTaggedPtr struct {
		*base `json:"base"`
		Name  string
	}
	embedsDashed struct {
		Base `json:"-"`
		Name string
	}
	shadows struct {
		Base
		ID string
	}
	Left    struct{ ID, L int }
	Right   struct{ ID, R int }
	clashes struct {
		Left
		Right
	}
	settled struct {
		Left
		Right
		ID int
	}
	Deep1   struct{ Base }
	Deep2   struct{ Base }
	diamond struct {
		Deep1
		Deep2
	}
	selfEmbed struct {
		*selfEmbed
		A int
	}
	embedsLevel struct {
		level
		A int
	}
	Level        int
	embedsScalar struct {
		Level
		A int
	}
	embedsAny struct {
		fmt.Stringer
		A int
	}
)

// Promoted methods.
type (
	promotesUnit struct {
		unitByValue
		A int
	}
	promotesOnly struct{ textPair }
	promotesMore struct {
		textPair
		A int
	}
	promotesBlank struct {
		textPair
		_ int
	}
	promotesTime  struct{ time.Time }
	promotesTime2 struct {
		time.Time
		Note string
	}
	TextPair       struct{ s string }
	promotesPtr    struct{ *TextPair }
	promotesIface  struct{ json.Marshaler }
	promotesReader struct {
		readsJSON
		A int
	}
	promotesBoth struct {
		textPair
		jsonPair
	}
	ambiguous struct {
		time.Time
		Inner
	}
	genericEmbed[T any] struct {
		textPair
		V T
	}
)

func (t TextPair) MarshalText() ([]byte, error)  { return []byte(t.s), nil }
func (t *TextPair) UnmarshalText(b []byte) error { t.s = string(b); return nil }

type Inner struct{ n int }

func (i Inner) MarshalJSON() ([]byte, error)  { return []byte(strconv.Itoa(i.n)), nil }
func (i *Inner) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &i.n) }
func (i Inner) MarshalText() ([]byte, error)  { return []byte(strconv.Itoa(i.n)), nil }
func (i *Inner) UnmarshalText(b []byte) error { return json.Unmarshal(b, &i.n) }

// overrides embeds a type with methods and declares its own.
type overrides struct {
	textPair
	A int
}

func (o overrides) MarshalText() ([]byte, error) { return []byte(o.s + " " + strconv.Itoa(o.A)), nil }

func (o *overrides) UnmarshalText(b []byte) error {
	_, err := fmt.Sscan(string(b), &o.s, &o.A)
	return err
}

type overridesPointer struct {
	textPair
	A int
}

func (o *overridesPointer) MarshalText() ([]byte, error) {
	return []byte(o.s + " " + strconv.Itoa(o.A)), nil
}

func (o *overridesPointer) UnmarshalText(b []byte) error {
	_, err := fmt.Sscan(string(b), &o.s, &o.A)
	return err
}

type overridesGeneric[T any] struct {
	textPair
	V T
}

func (o overridesGeneric[T]) MarshalJSON() ([]byte, error) { return json.Marshal([]any{o.s, o.V}) }
func (o *overridesGeneric[T]) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&o.s, &o.V})
}

// overridesHalf writes itself, and is read by the embedded field's method.
type overridesHalf struct {
	textPair
	A int
}

func (o overridesHalf) MarshalText() ([]byte, error) { return []byte(o.s), nil }
