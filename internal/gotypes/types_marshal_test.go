package gotypes_test

//lint:file-ignore U1000 Some samples are wrong on purpose, and some fields are there to be lost.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// This file is the declared types with methods.

// Marshal methods.

type textPair struct{ s string }

func (t textPair) MarshalText() ([]byte, error)  { return []byte(t.s), nil }
func (t *textPair) UnmarshalText(b []byte) error { t.s = string(b); return nil }

type jsonPair struct{ n int }

func (j jsonPair) MarshalJSON() ([]byte, error)  { return []byte(strconv.Itoa(j.n)), nil }
func (j *jsonPair) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &j.n) }

type jsonPointers struct{ n int }

func (j *jsonPointers) MarshalJSON() ([]byte, error) { return []byte(strconv.Itoa(j.n)), nil }
func (j *jsonPointers) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &j.n) }

type textPointers struct{ s string }

func (t *textPointers) MarshalText() ([]byte, error) { return []byte(t.s), nil }
func (t *textPointers) UnmarshalText(b []byte) error { t.s = string(b); return nil }

type jsonOnly struct{ N int }

func (j jsonOnly) MarshalJSON() ([]byte, error) { return []byte(`"` + strconv.Itoa(j.N) + `"`), nil }

type jsonOnlyPointer struct{ N int }

func (j *jsonOnlyPointer) MarshalJSON() ([]byte, error) {
	return []byte(`"` + strconv.Itoa(j.N) + `"`), nil
}

type jsonText struct{ n int }

func (j jsonText) MarshalJSON() ([]byte, error)  { return []byte(strconv.Itoa(j.n)), nil }
func (j *jsonText) UnmarshalText(b []byte) error { return json.Unmarshal(b, &j.n) }

type textOnly int

func (t textOnly) MarshalText() ([]byte, error) { return []byte("#" + strconv.Itoa(int(t))), nil }

type textInt int

func (t textInt) MarshalText() ([]byte, error) { return []byte("#" + strconv.Itoa(int(t))), nil }
func (t *textInt) UnmarshalText(b []byte) error {
	n, err := strconv.Atoi(strings.TrimPrefix(string(b), "#"))
	*t = textInt(n)
	return err
}

type textIntPointers int

func (t *textIntPointers) MarshalText() ([]byte, error) {
	return []byte("#" + strconv.Itoa(int(*t))), nil
}

func (t *textIntPointers) UnmarshalText(b []byte) error {
	n, err := strconv.Atoi(strings.TrimPrefix(string(b), "#"))
	*t = textIntPointers(n - 1)
	return err
}

type readsJSON struct{ N int }

func (r *readsJSON) UnmarshalJSON(b []byte) error {
	var o struct{ N int }
	err := json.Unmarshal(b, &o)
	r.N = o.N
	return err
}

type readsTextInt int

func (r *readsTextInt) UnmarshalText(b []byte) error { return json.Unmarshal(b, (*int)(r)) }

type readsTextString string

func (r *readsTextString) UnmarshalText(b []byte) error { *r = readsTextString(b); return nil }

type readsLower string

func (r *readsLower) UnmarshalText(b []byte) error {
	*r = readsLower(strings.ToLower(string(b)))
	return nil
}

type readsByValue struct{ N int }

func (r readsByValue) MarshalJSON() ([]byte, error) { return []byte(strconv.Itoa(r.N)), nil }
func (r readsByValue) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &r.N) }

type unitByValue struct{}

func (u unitByValue) MarshalJSON() ([]byte, error) { return []byte("1"), nil }
func (u unitByValue) UnmarshalJSON(b []byte) error { return nil }

type unitText struct{}

func (u unitText) MarshalText() ([]byte, error) { return []byte("unit"), nil }

type jsonAndText struct{ n int }

func (j *jsonAndText) MarshalJSON() ([]byte, error) { return []byte(strconv.Itoa(j.n)), nil }
func (j *jsonAndText) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &j.n) }
func (j jsonAndText) MarshalText() ([]byte, error)  { return []byte("#" + strconv.Itoa(j.n)), nil }

type oddZero struct{ A, B int }

func (o oddZero) IsZero() bool { return o.A == 0 }

type jsonList []int

func (l jsonList) MarshalJSON() ([]byte, error)  { return json.Marshal([]int(l)) }
func (l *jsonList) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*[]int)(l)) }

type textList []byte

func (l textList) MarshalText() ([]byte, error) { return []byte(fmt.Sprint(l == nil, string(l))), nil }

func (l *textList) UnmarshalText(b []byte) error {
	if *l = nil; !bytes.HasPrefix(b, []byte("true")) {
		*l = append(textList{}, bytes.TrimPrefix(b, []byte("false"))...)
	}
	return nil
}

type bytesWithText byte

func (o bytesWithText) MarshalText() ([]byte, error)  { return []byte{'0' + byte(o)}, nil }
func (o *bytesWithText) UnmarshalText(b []byte) error { *o = bytesWithText(b[0] - '0'); return nil }

type wrongSignature struct{ n int }

func (w wrongSignature) MarshalText() string { return "" }

type pointKey struct{ X, Y int }

func (p pointKey) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d,%d", p.X, p.Y), nil }
func (p *pointKey) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "%d,%d", &p.X, &p.Y)
	return err
}

type keyByValue struct{ N int }

func (k keyByValue) MarshalText() ([]byte, error) { return []byte(strconv.Itoa(k.N)), nil }
func (k keyByValue) UnmarshalText(b []byte) error { return json.Unmarshal(b, &k.N) }

type generic[T any] struct{ v T }

func (g generic[T]) MarshalJSON() ([]byte, error)  { return json.Marshal(g.v) }
func (g *generic[T]) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &g.v) }
