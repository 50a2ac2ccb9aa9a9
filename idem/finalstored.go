package idem

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// This file is the form in which errors are stored (finalread.go reads it): the text, and what the operation's rules know of the error's tree, in the
// order in which errors.As would walk it. docs/protocol.md describes it; a later version may add to it, and what it cannot say in this form
// gets another name of a codec.

// codecError is what errors are stored by.
const codecError = "error"

// codeFinal is the code of an error that no rule knows.
const codeFinal = "idem.Final"

const errorVersion = 1

// storedError is an error as it is stored.
type storedError struct {
	Version int    `json:"version,omitempty"` // of the outermost one
	Message string `json:"message"`
	// Bytes is the message where that is not UTF-8, which Message is then made to be.
	Bytes []byte `json:"bytes,omitempty"`
	// Exact: the error is the first of Errors, and nothing around it.
	Exact bool `json:"exact,omitempty"`
	// Wrapped: of a field, the error that has it wraps it.
	Wrapped bool `json:"wrapped,omitempty"`
	// Errors are those in it that rules are about.
	Errors []knownError `json:"errors,omitempty"`
}

// knownError is one error in the tree that a rule is about.
type knownError struct {
	Code string `json:"code"`
	// Claimed: the error is not in the tree; another one says to be it.
	Claimed bool            `json:"claimed,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	// Fields are those of the data that are errors.
	Fields map[string]storedError `json:"fields,omitempty"`
	// Inner is what it wraps that is in none of the fields.
	Inner []knownError `json:"inner,omitempty"`
}

// errorWriter makes the stored form.
type errorWriter struct {
	rules []ErrorRule // about final errors
	ref   Ref
	nodes int   // how many errors were looked at
	lost  error // the first reason why something of the error is not kept
}

// Errors hold a few others. Of one that holds more, what comes later is left out.
const (
	maxErrorDepth = 100
	maxErrorNodes = 1000
)

// whole is the stored form of err, the outcome.
func (w *errorWriter) whole(err error) storedError {
	s := w.text(err, 0)
	s.Version = errorVersion
	for _, r := range w.rules {
		var found error
		guarded(func() {
			if r.match(err) && !anyIn(err, r.kind.is) {
				found = r.kind.find(err)
			}
		})
		if found != nil {
			k := knownError{Code: r.code, Claimed: true}
			w.data(&k, r, found, maxErrorDepth)
			s.Errors = append(s.Errors, k)
		}
	}
	return s
}

// text is err with its text: the outcome, or a field that is an error.
func (w *errorWriter) text(err error, depth int) (s storedError) {
	text := textOf(err)
	s.Message = strings.ToValidUTF8(text, "\uFFFD")
	if s.Message != text {
		s.Bytes = []byte(text)
	}
	for m, ok := err.(marked); ok; m, ok = err.(marked) { //nolint:errorlint // the outermost ones
		err = m.error
	}
	s.Errors = w.known(err, nil, nil, depth)
	if len(s.Errors) > 0 {
		_, s.Exact = w.rule(err)
	}
	return s
}

// rule is the rule that is about err itself. A value goes before a type: it is the same error that comes back.
func (w *errorWriter) rule(err error) (found ErrorRule, ok bool) {
	for _, r := range w.rules {
		if !r.kind.is(err) {
			continue
		}
		if _, value := r.kind.(sentinel); value {
			return r, true
		}
		if !ok {
			found, ok = r, true
		}
	}
	return found, ok
}

// known is what the rules know of err and of what it wraps. What is in a field of the error around it is noted there.
func (w *errorWriter) known(err error, around *knownError, in map[string]error, depth int) (list []knownError) {
	for name, inner := range in {
		if same(err, inner) {
			f := around.Fields[name]
			f.Wrapped = true
			around.Fields[name] = f
			return nil
		}
	}
	if w.nodes++; depth > maxErrorDepth || w.nodes > maxErrorNodes {
		w.lose(errors.New("the error holds too many others"))
		return nil
	}
	r, ok := w.rule(err)
	if !ok {
		return w.inner(err, around, in, depth+1)
	}
	k := knownError{Code: r.code}
	if _, value := r.kind.(sentinel); !value { // what a value wraps comes back with it
		fields := w.data(&k, r, err, depth+1)
		k.Inner = w.inner(err, &k, fields, depth+1)
	}
	return []knownError{k}
}

// inner is what the rules know of what err wraps.
func (w *errorWriter) inner(err error, around *knownError, in map[string]error, depth int) (list []knownError) {
	var wrapped []error
	if !guarded(func() { wrapped = unwrapped(err) }) {
		w.lose(fmt.Errorf("an error of type %T panicked when it was asked what it wraps", err))
	}
	for _, inner := range wrapped {
		if inner != nil {
			list = append(list, w.known(inner, around, in, depth)...)
		}
	}
	return list
}

func unwrapped(err error) []error {
	switch u := err.(type) { //nolint:errorlint // walked one by one
	case interface{ Unwrap() error }:
		return []error{u.Unwrap()}
	case interface{ Unwrap() []error }:
		return u.Unwrap()
	}
	return nil
}

// data adds the data of found, and returns those of its fields that are errors.
func (w *errorWriter) data(k *knownError, r ErrorRule, found error, depth int) (fields map[string]error) {
	var data []byte
	var err error
	if !guarded(func() { data, fields, err = r.kind.write(w.ref, found) }) {
		err = errors.New("a method of it panicked")
	}
	if err != nil {
		w.lose(fmt.Errorf("the data of an error of type %T can't be stored: %w", found, err))
		return nil
	}
	k.Data = data
	if len(fields) > 0 {
		k.Fields = map[string]storedError{}
	}
	for name, inner := range fields {
		k.Fields[name] = w.text(inner, depth)
	}
	return fields
}

func (w *errorWriter) lose(why error) {
	if w.lost == nil {
		w.lost = why
	}
}

// textOf is err's text, whose making must not look like a panic of the method.
func textOf(err error) (text string) {
	if !guarded(func() { text = err.Error() }) {
		text = fmt.Sprintf("an error of type %T, which panics when it is asked for its text", err)
	}
	return text
}

// guarded calls methods of errors, and reports whether they returned.
func guarded(f func()) (returned bool) {
	defer func() {
		if !returned {
			_ = recover()
		}
	}()
	f()
	return true
}

// fitting is the stored form in at most limit bytes, if that is possible: with less of its text, then without data, then the code
// alone. Whole reports whether nothing was left out.
func (s storedError) fitting(limit int) (data []byte, whole bool) {
	if data = s.encode(); len(data) <= limit {
		return data, true
	}
	for _, smaller := range []storedError{s, {Version: s.Version, Message: s.Message, Errors: namesOnly(s.Errors)}, {Version: s.Version, Message: s.Message}} {
		smaller.Bytes = nil
		if data = smaller.cut(limit); data != nil {
			return data, false
		}
	}
	return nil, false
}

// leastText is how much of a text is worth being kept beside the rest.
const leastText = 80

// cut shortens the text so that all fits; nil: too little of it would be left.
func (s storedError) cut(limit int) []byte {
	const mark = "…"
	text := s.Message
	least, most := min(leastText, len(text)), len(text)
	var fits []byte
	for least <= most {
		middle := (least + most) / 2
		s.Message = text
		if end := middle; end < len(text) {
			for end > 0 && !utf8.RuneStart(text[end]) {
				end--
			}
			s.Message = text[:end] + mark
		}
		if data := s.encode(); len(data) <= limit {
			fits, least = data, middle+1
		} else {
			most = middle - 1
		}
	}
	return fits
}

func (s storedError) encode() []byte {
	data, _ := json.Marshal(s) // which has nothing in it that json can't write
	return data
}

// namesOnly are the errors without their data.
func namesOnly(list []knownError) (names []knownError) {
	for _, k := range list {
		names = append(names, knownError{Code: k.Code, Claimed: k.Claimed, Inner: append(namesOnly(k.wrapped()), namesOnly(k.Inner)...)})
	}
	return names
}

// codeOf is the code that stands in the row: the one of the first rule that err matches.
func codeOf(rules []ErrorRule, err error) (code string) {
	code = codeFinal
	guarded(func() {
		for _, r := range rules {
			if r.match(err) {
				code = r.code
				return
			}
		}
	})
	return code
}
