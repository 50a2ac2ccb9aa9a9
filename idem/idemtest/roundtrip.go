package idemtest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/idemgen/idemgen/idem"
)

// This file shows that what an operation stores comes back as it was. Tests that idemgen writes with -tests call it.

// RoundTrip encodes and decodes values of T with op's codec, the zero value first, and fails where one comes back as another, naming the
// field. The values are the same in every run. One that the codec refuses is passed over, because the first caller would be told; t
// fails when it refuses all of them.
//
// Values are made field by field. A type that not every value of its fields belongs to can make its own, with the method
// Generate(*rand.Rand, int) reflect.Value of package testing/quick.
func RoundTrip[T any](t *testing.T, op *idem.Operation[T]) {
	t.Helper()
	if problem := roundTrips(op); problem != "" {
		t.Errorf("%s: %s", op.Name, problem)
	}
}

// FuzzRoundTrip is RoundTrip with values made of what the fuzzer finds.
func FuzzRoundTrip[T any](f *testing.F, op *idem.Operation[T]) {
	f.Helper()
	f.Add([]byte{})
	f.Add([]byte("\x01\x02\x03\x04 some bytes \xff\xfe to begin with \x00\x00\x00\x00\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		problem, refused := roundTrip(op, filled[T](data))
		if problem != "" {
			t.Errorf("%s: %s", op.Name, problem)
		}
		if refused != nil {
			t.Skip(refused)
		}
	})
}

// filled is a value made of bytes.
func filled[T any](data []byte) (v T) {
	(&filler{data: data}).fill(reflect.ValueOf(&v).Elem(), 0)
	return v
}

// roundTrips tries a hundred values, and says what is wrong with the first that does not come back.
func roundTrips[T any](op *idem.Operation[T]) (problem string) {
	var zero T
	problem, refused := roundTrip(op, zero)
	stored := refused == nil
	for n := range 100 {
		if problem != "" {
			return problem
		}
		bytes := make([]byte, 64+16*n)
		_, _ = rand.NewChaCha8([32]byte{byte(n)}).Read(bytes)
		if problem, refused = roundTrip(op, filled[T](bytes)); refused == nil {
			stored = true
		}
	}
	if problem == "" && !stored {
		problem = fmt.Sprintf("no result can be stored: %v", refused)
	}
	return problem
}

// roundTrip stores v and reads it; refused says why the codec does not store it.
func roundTrip[T any](op *idem.Operation[T], v T) (problem string, refused error) {
	var codec idem.Codec[T] = idem.JSON[T]{}
	if op.Codec != nil {
		codec = op.Codec
	}
	ref := idem.Ref{Operation: op.Name, Key: "round-trip"}
	data, refused := codec.Encode(ref, v)
	if refused != nil {
		return "", refused
	}
	back, err := codec.Decode(ref, data)
	if err != nil {
		return fmt.Sprintf("what codec %s wrote of %s can't be read: %v", codec.Name(), show(reflect.ValueOf(v)), err), nil
	}
	name := reflect.TypeFor[T]().Name()
	if name == "" {
		name = "the result"
	}
	if path, was, is := difference(name, reflect.ValueOf(&v).Elem(), reflect.ValueOf(&back).Elem()); path != "" {
		return fmt.Sprintf("%s was %s and comes back as %s", path, was, is), nil
	}
	return "", nil
}
