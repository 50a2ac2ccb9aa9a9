package codec

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/idemgen/idemgen/idem"
)

// This file is the codec gob. Which types it stores is in gobtype.go. Its bytes are
//
//	version 1 | number of fields, as a uvarint | for each 4 bytes, sorted | gob of struct{ V T }
//
// The 4 bytes stand for a field's path and kind. gob itself reads what it finds and leaves out what it does not know: a field that was
// renamed or removed would come back as nothing, in silence. So a row is read only where the type still has every field it was stored with.

// Gob stores results as encoding/gob does. It is the zero value.
//
// gob loses parts of some types: unexported fields, functions and channels, pointers to what is not a struct (one to zero comes back nil). Such
// types are refused at the first call, with idem.ErrBadOperation, before anything runs. An empty slice comes back nil. A nil
// element of a slice or map of pointers can't be stored, nor a value that holds itself. Values in interfaces need gob.Register, in every
// process that reads them; Gob registers nothing.
//
// Fields can be added while rows are there, and be widened (int32 to int64); rows from before a field was removed, renamed or changed its
// kind are idem.ErrUnreadable. gob is not made for hostile bytes: who can write to the table should not be able to do harm by it; see Encrypt.
type Gob[T any] struct{}

// Name is "gob".
func (Gob[T]) Name() string { return "gob" }

// box makes a struct of any result: gob writes no nil at the top.
type box[T any] struct{ V T }

const gobVersion = 1

// Check says why results of type T can't be stored.
func (Gob[T]) Check() error { return gobTypeOf[T]().fault }

// Encode is gob's. Maps are written in no order, so equal values may have different bytes.
func (Gob[T]) Encode(_ idem.Ref, v T) ([]byte, error) {
	t := gobTypeOf[T]()
	if t.fault != nil {
		return nil, t.fault
	}
	if err := t.tooDeep(&v); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteByte(gobVersion)
	b.Write(binary.AppendUvarint(nil, uint64(len(t.fields))))
	for _, f := range t.fields {
		b.Write(binary.BigEndian.AppendUint32(nil, f))
	}
	if err := gob.NewEncoder(&b).Encode(&box[T]{v}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Decode reads exactly one T.
func (Gob[T]) Decode(_ idem.Ref, data []byte) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = *new(T), fmt.Errorf("gob panicked with a %T", p)
		}
	}()
	t := gobTypeOf[T]()
	switch {
	case t.fault != nil:
		return v, t.fault
	case len(data) == 0 || data[0] != gobVersion:
		return v, errors.New("its bytes are not in the form that Gob writes")
	}
	n, size := binary.Uvarint(data[1:])
	if size <= 0 || n > uint64(len(data)-1-size)/4 {
		return v, errors.New("its list of fields is cut off")
	}
	fields := data[1+size:]
	for range n {
		if _, known := slices.BinarySearch(t.fields, binary.BigEndian.Uint32(fields)); !known {
			return v, idem.Unreadable("it was stored with a field that its type does not have any more, or has as another kind", nil)
		}
		fields = fields[4:]
	}
	r := bytes.NewReader(fields)
	var b box[T]
	if err := gob.NewDecoder(r).Decode(&b); err != nil {
		return v, err
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return v, errors.New("there is more than one value")
	}
	return b.V, nil
}
