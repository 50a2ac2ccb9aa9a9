package idem

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
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

// Encode is json.Marshal of &v.
func (JSON[T]) Encode(_ Ref, v T) ([]byte, error) { return json.Marshal(&v) }

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
