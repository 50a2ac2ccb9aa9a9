package idem

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"unicode/utf8"
)

// This file is the default codec.

// JSON stores results as encoding/json writes them. It reads strictly: a field that T does not have makes a result unreadable,
// so that a field somebody renamed or removed never comes back as its zero value, and an older program never reads half of a
// newer one's result.
//
// Encode writes through a pointer to the result, so marshal methods on the pointer are called.
type JSON[T any] struct{}

// Name is "json".
func (JSON[T]) Name() string { return "json" }

// Encode is json.Marshal of &v. It fails for what a replay would not give back: text that is not valid UTF-8, where json.Marshal writes
// something else, what is nested deeper than json reads, and a time whose offset has seconds, which json does not write.
func (c JSON[T]) Encode(ref Ref, v T) ([]byte, error) {
	data, err := json.Marshal(&v)
	switch {
	case err != nil:
		return data, err
	case len(data) > shallow && !json.Valid(data):
		return nil, errors.New("it is nested deeper than json reads")
	case holdsOddTime(reflect.ValueOf(&v).Elem()):
		return nil, errors.New("it holds a time whose offset from UTC has seconds; use its UTC()")
	case utf8.Valid(data) && !bytes.Contains(data, replaced):
		return data, nil
	}
	// what was replaced comes back as the replacement itself, and that is written differently
	back, err := c.Decode(ref, data)
	if err != nil {
		return nil, err
	}
	if again, err := json.Marshal(&back); err != nil || !bytes.Equal(data, again) || !utf8.Valid(data) {
		return nil, errors.New("it holds text that is not valid UTF-8")
	}
	return data, nil
}

// shallow is the most bytes that are surely not nested too deep: json reads 10,000 levels, of which each has two brackets.
const shallow = 20_000

// replaced is what json.Marshal writes for a byte that is not UTF-8. A U+FFFD that was there it writes as such.
var replaced = []byte(`\ufffd`)

// Decode reads exactly one T.
func (JSON[T]) Decode(_ Ref, data []byte) (v T, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return *new(T), err
	}
	if _, err := d.Token(); err != io.EOF {
		return *new(T), errors.New("there is more than one value")
	}
	return v, nil
}
