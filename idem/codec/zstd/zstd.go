// Package zstd compresses stored results.
package zstd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/idem"
)

// This file is the codec that compresses what another one stores. How the bytes look is in frame.go.

// Compressed is a codec that compresses the bytes of a C. Compress makes one; the zero value is Compress of C's zero value.
type Compressed[T any, C idem.Codec[T]] struct {
	inner C
	settings
}

// settings are what options change; the zero values mean the defaults.
type settings struct {
	from       int
	maxDecoded int
	plain      bool
}

// Option changes what Compress does.
type Option func(*settings)

const (
	defaultFrom       = 4 << 10
	defaultMaxDecoded = 16 << 20
)

// From compresses from so many bytes; smaller results are stored as they are, which costs them one byte. Default 4 KiB.
func From(bytes int) Option { return func(s *settings) { s.from = max(bytes, 1) } }

// MaxDecoded is the most bytes that a result may have before it is compressed. A larger one is not stored (idem.ErrResultNotStored for
// later callers), and a row that would become larger is not read, so that a few bytes can't fill the memory. Default 16 MiB, which
// is 16 times what an engine stores by default (idem.WithMaxResult, which counts compressed bytes). Make it smaller only when the rows that
// are larger have expired.
func MaxDecoded(bytes int) Option { return func(s *settings) { s.maxDecoded = max(bytes, 1) } }

// StoreUncompressed stores results as the wrapped codec does, and still reads compressed rows, for as long as there are some from before
// compression was switched off.
func StoreUncompressed() Option { return func(s *settings) { s.plain = true } }

// Compress compresses what inner stores, where it is large and that makes it smaller. It also reads what inner stored by itself, so it can be
// put around a codec that is in use. Where results are encrypted as well, that goes around this: what is encrypted can't be
// compressed.
func Compress[T any, C idem.Codec[T]](inner C, opts ...Option) Compressed[T, C] {
	c := Compressed[T, C]{inner: inner}
	for _, o := range opts {
		o(&c.settings)
	}
	return c
}

// prefix is the codec's part of a name.
const prefix = "zstd+"

// Name is that of the wrapped codec with zstd+ in front.
func (c Compressed[T, C]) Name() string {
	switch {
	case any(c.inner) == nil:
		return prefix + "nil"
	case c.plain:
		return c.inner.Name()
	default:
		return prefix + c.inner.Name()
	}
}

// Check says what is wrong with the wrapped codec.
func (c Compressed[T, C]) Check() error {
	switch inner, _ := any(c.inner).(interface{ Check() error }); {
	case any(c.inner) == nil:
		return errors.New("the codec that zstd.Compress wraps is nil")
	case strings.HasPrefix(c.inner.Name(), "aesgcm+"):
		return errors.New("it compresses what is encrypted already, which makes nothing smaller; encrypt what is compressed: codec.Encrypt(keys, zstd.Compress(…))")
	case inner != nil:
		return inner.Check()
	}
	return nil
}

// Encode compresses what the wrapped codec makes of v.
func (c Compressed[T, C]) Encode(ref idem.Ref, v T) ([]byte, error) {
	data, err := c.inner.Encode(ref, v)
	switch limit := c.limit(); {
	case err != nil || c.plain:
		return data, err
	case len(data) > limit:
		return nil, fmt.Errorf("the result has %d bytes before it is compressed; at most %d would be read again (see zstd.MaxDecoded)", len(data), limit)
	}
	from := c.from
	if from == 0 {
		from = defaultFrom
	}
	return pack(data, from)
}

// Decode reads what Encode wrote.
func (c Compressed[T, C]) Decode(ref idem.Ref, data []byte) (v T, err error) {
	if !c.plain {
		if data, err = unpack(data, c.limit()); err != nil {
			return v, err
		}
	}
	return c.inner.Decode(ref, data)
}

// Unwrap decompresses a row, and leaves it to the wrapped codec. One that is not compressed it leaves to that as it is.
func (c Compressed[T, C]) Unwrap(_ idem.Ref, name string, data []byte) (next idem.Codec[T], inner string, rest []byte, err error) {
	inner, compressed := strings.CutPrefix(name, prefix)
	if !compressed {
		return c.inner, name, data, nil
	}
	rest, err = unpack(data, c.limit())
	return c.inner, inner, rest, err
}

func (s settings) limit() int {
	if s.maxDecoded == 0 {
		return defaultMaxDecoded
	}
	return s.maxDecoded
}

// EncodeError leaves final errors to the wrapped codec, if that has a say in how they are stored. They are not compressed.
func (c Compressed[T, C]) EncodeError(ref idem.Ref, name string, data []byte) (string, []byte, error) {
	if inner, ok := any(c.inner).(idem.ErrorCodec); ok {
		return inner.EncodeError(ref, name, data)
	}
	return name, data, nil
}

// DecodeError reads what EncodeError wrote.
func (c Compressed[T, C]) DecodeError(ref idem.Ref, name string, data []byte) (string, []byte, error) {
	if inner, ok := any(c.inner).(idem.ErrorCodec); ok {
		return inner.DecodeError(ref, name, data)
	}
	return name, data, nil
}
