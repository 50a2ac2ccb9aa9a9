package idem

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// This file reads stored errors: what the operation's rules know comes back as what it was, and of the rest its text. Where the bytes are
// damaged that is said, and nothing is guessed.

// errorReader makes errors of their stored form.
type errorReader struct {
	rules []ErrorRule
	ref   Ref
	whole *StoredError
}

// readError is the error that was stored under a code.
func readError(rules []ErrorRule, ref Ref, code string, data []byte, replayed bool) (*StoredError, error) {
	var s storedError
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	if s.Version < 1 {
		return nil, errors.New("it has no version")
	}
	r := &errorReader{rules: rules, ref: ref, whole: &StoredError{Code: code, replayed: replayed}}
	r.whole.text = s.original()
	if len(s.Errors) == 0 { // there was no room for more than the code
		s.Errors = []knownError{{Code: code}}
	}
	r.whole.wrapped = r.all(s.Errors, 0)
	return r.whole, nil
}

// withoutText is an error of which only the code is stored.
func withoutText(rules []ErrorRule, code string, replayed bool) *StoredError {
	e := &StoredError{Code: code, text: "an error was stored, and its text was not (its code is " + code + ")", replayed: replayed}
	r := &errorReader{rules: rules, whole: e}
	e.wrapped = r.all([]knownError{{Code: code}}, 0)
	return e
}

// original is the text as it was.
func (s storedError) original() string {
	if len(s.Bytes) > 0 {
		return string(s.Bytes)
	}
	return s.Message
}

// all are the errors of a list that this program knows.
func (r *errorReader) all(list []knownError, depth int) (errs []error) {
	for _, k := range list {
		if depth > 2*maxErrorDepth {
			return errs
		}
		e := r.one(k, depth)
		switch {
		case e == nil: // what it wraps may be known all the same
			errs = append(errs, r.all(k.wrapped(), depth+1)...)
		case k.Claimed:
			r.whole.claimed = append(r.whole.claimed, e)
		default:
			errs = append(errs, e)
		}
		errs = append(errs, r.all(k.Inner, depth+1)...)
	}
	return errs
}

// wrapped are the errors in those of its fields that it wraps.
func (k knownError) wrapped() (list []knownError) {
	for _, name := range slices.Sorted(maps.Keys(k.Fields)) {
		if f := k.Fields[name]; f.Wrapped {
			list = append(list, f.Errors...)
		}
	}
	return list
}

// one is the error itself; nil where this program does not know it, or can't read its data.
func (r *errorReader) one(k knownError, depth int) (e error) {
	for _, rule := range r.rules {
		if rule.code != k.Code {
			continue
		}
		fields := map[string]error{}
		for name, f := range k.Fields {
			fields[name] = r.field(f, depth+1)
		}
		var err error
		guarded(func() {
			if e, err = rule.kind.read(r.ref, k.Data, fields); err != nil {
				e = nil
			}
		})
		return e
	}
	return nil
}

// field is an error within another one's data.
func (r *errorReader) field(s storedError, depth int) error {
	if depth > 2*maxErrorDepth {
		return nil
	}
	if s.Exact && len(s.Errors) > 0 {
		if e := r.one(s.Errors[0], depth); e != nil {
			return e
		}
	}
	code := codeFinal
	if len(s.Errors) > 0 {
		code = s.Errors[0].Code
	}
	return &StoredError{Code: code, text: s.original(), wrapped: r.all(s.Errors, depth), replayed: r.whole.replayed}
}
