package codec

import (
	"errors"

	"github.com/idemgen/idemgen/idem"
)

// This file lets an operation change from one codec to another while rows of the old one are there.

// Succeeding is a codec that stores as a C and also reads what older codecs stored. Succeed makes one.
type Succeeding[T any, C idem.Codec[T]] struct {
	now   C
	older []idem.Codec[T]
}

// Succeed stores results as now does, and reads rows by the codec, of now and older ones, whose name they have; those of none are now's to
// refuse. All processes need it before the first of them stores as now. Codecs that wrap others (Encrypt, zstd.Compress) read more than
// their own rows already, and need it only where what they wrap has changed.
func Succeed[T any, C idem.Codec[T]](now C, older ...idem.Codec[T]) Succeeding[T, C] {
	return Succeeding[T, C]{now, older}
}

// Name is now's.
func (c Succeeding[T, C]) Name() string { return nameOf(c.now) }

// Check asks all codecs, since rows of the older ones are read.
func (c Succeeding[T, C]) Check() error {
	for _, o := range append([]idem.Codec[T]{c.now}, c.older...) {
		if err := checkInner(o); err != nil {
			return err
		}
	}
	for i, o := range c.older {
		for _, p := range append([]idem.Codec[T]{c.now}, c.older[:i]...) {
			if o.Name() == p.Name() {
				return errors.New("two codecs of codec.Succeed are both called " + o.Name() + ", so their rows can't be told apart")
			}
		}
	}
	return nil
}

// Encode is now's.
func (c Succeeding[T, C]) Encode(ref idem.Ref, v T) ([]byte, error) { return c.now.Encode(ref, v) }

// Decode is now's.
func (c Succeeding[T, C]) Decode(ref idem.Ref, data []byte) (T, error) {
	return c.now.Decode(ref, data)
}

// Unwrap leaves a row to the codec that stored it.
func (c Succeeding[T, C]) Unwrap(_ idem.Ref, name string, data []byte) (next idem.Codec[T], inner string, rest []byte, err error) {
	for _, o := range c.older {
		if o.Name() == name {
			return o, name, data, nil
		}
	}
	return c.now, name, data, nil
}

// EncodeError is now's, if that has a say in how errors are stored.
func (c Succeeding[T, C]) EncodeError(ref idem.Ref, name string, data []byte) (string, []byte, error) {
	return encodeError(c.now, ref, name, data)
}

// DecodeError is that of the first codec that can read the error, now before older ones.
func (c Succeeding[T, C]) DecodeError(ref idem.Ref, name string, data []byte) (string, []byte, error) {
	inner, rest, err := decodeError(c.now, ref, name, data)
	for _, o := range c.older {
		if err == nil && !IsEncrypted(inner) {
			break
		}
		if older, plain, failed := decodeError(o, ref, name, data); failed == nil && !IsEncrypted(older) {
			return older, plain, nil
		}
	}
	return inner, rest, err
}
