package idem

import "errors"

// This file is the say that a codec has in how final errors are stored. Errors are not results, and have a form of their own; but what
// encrypts the one must not leave the other beside it in plain text.

// ErrorCodec is a Codec that also changes the bytes of final errors. A codec that encrypts results has to be one, and one that wraps another
// passes errors on to it, should that be one. Codecs that are none leave errors as they are, and so does a method without results, which has
// no codec.
type ErrorCodec interface {
	// EncodeError gets what would be stored, with the codec name it would be stored by, and returns what is.
	EncodeError(ref Ref, name string, data []byte) (string, []byte, error)
	// DecodeError undoes it: of a row's codec name and bytes it returns those that EncodeError was given. It must not keep or change data.
	DecodeError(ref Ref, name string, data []byte) (string, []byte, error)
}

// errorCodec is the codec's say; nil: it has none.
func (v *value[T]) errorCodec() ErrorCodec {
	c, _ := v.codec.(ErrorCodec)
	return c
}

// encodeError stores what fits into limit, as c has it.
func encodeError(c ErrorCodec, ref Ref, s storedError, limit int) (name string, data []byte, whole bool, err error) {
	data, whole = s.fitting(limit)
	if c == nil || data == nil {
		return codecError, data, whole, nil
	}
	sealed := func(plain []byte) (name string, data []byte, err error) {
		if !guarded(func() { name, data, err = c.EncodeError(ref, codecError, plain) }) {
			err = errCodecPanicked
		}
		return name, data, err
	}
	plain := data
	if name, data, err = sealed(plain); err != nil || len(data) <= limit {
		return name, data, whole, err
	}
	if plain, _ = s.fitting(limit - (len(data) - len(plain))); plain == nil {
		return codecError, nil, false, nil
	}
	if name, data, err = sealed(plain); len(data) > limit {
		data = nil
	}
	return name, data, false, err
}

// decodeError is what encodeError made a row of.
func decodeError(c ErrorCodec, ref Ref, row Row) (name string, data []byte, err error) {
	if c == nil {
		return row.Codec, row.Result, nil
	}
	if !guarded(func() { name, data, err = c.DecodeError(ref, row.Codec, row.Result) }) {
		err = errCodecPanicked
	}
	return name, data, err
}

var errCodecPanicked = errors.New("the codec panicked")
