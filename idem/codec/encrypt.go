package codec

import (
	"errors"
	"strings"

	"github.com/idemgen/idemgen/idem"
)

// This file is the codec that encrypts what another one stores. How the bytes look is in seal.go.

// aesgcm is the codec's part of a name.
const aesgcm = "aesgcm"

// Encrypted is a codec that encrypts the bytes of a C. Encrypt makes one; the zero value refuses every call.
type Encrypted[T any, C idem.Codec[T]] struct {
	inner C
	*sealing
}

// sealing is what an Encrypted does to bytes. It is behind a pointer so that no way of printing shows a key.
type sealing struct {
	keys          Keys
	accept, store bool // plaintext
	aeads         aeads
}

// EncryptOption changes what Encrypt reads or writes.
type EncryptOption func(*sealing)

// AcceptPlaintext reads rows that are not encrypted as well, for as long as there are some from before encryption was switched on. Until it is
// taken out again, who can write to the table can put results of his own there.
func AcceptPlaintext() EncryptOption { return func(s *sealing) { s.accept = true } }

// StorePlaintext stores results as the wrapped codec does, and still reads encrypted rows, for as long as there are some from before
// encryption was switched off. Rows in plain text are accepted with it.
func StorePlaintext() EncryptOption { return func(s *sealing) { s.accept, s.store = true, true } }

// Encrypt encrypts what inner stores, with AES-256-GCM and the current one of keys. The id of the key stands in each row, so keys can
// be changed while rows are there (see NewKeyring). A row's bytes are bound to its operation, scope and key: moved to another row they are
// unreadable. What they are not bound to is their place in time: who can write to the table can put back an older outcome of the same key.
//
// Nonces are random, so no key should encrypt more than 2^32 results. What is encrypted still shows its length.
//
// Keys that are nil, or can't be had, make calls fail with idem.ErrBadOperation before their methods run. A row with an unknown key, one that was
// tampered with, and one in plain text are idem.ErrUnreadable.
func Encrypt[T any, C idem.Codec[T]](keys Keys, inner C, opts ...EncryptOption) Encrypted[T, C] {
	s := &sealing{keys: keys}
	for _, o := range opts {
		o(s)
	}
	return Encrypted[T, C]{inner, s}
}

var errNoKeys = errors.New("codec.Encrypt has no keys")

// Name is that of the wrapped codec with aesgcm+ in front.
func (c Encrypted[T, C]) Name() string {
	if c.sealing != nil && c.store {
		return nameOf(c.inner)
	}
	return aesgcm + "+" + nameOf(c.inner)
}

// nameOf is a codec's name, also where there is none, which Check will say.
func nameOf[T any](c idem.Codec[T]) string {
	if c == nil {
		return "nil"
	}
	return c.Name()
}

// Check says what is wrong with the keys or the wrapped codec.
func (c Encrypted[T, C]) Check() error {
	if c.sealing == nil || c.keys == nil {
		return errNoKeys
	}
	if id, key, err := c.keys.Current(); err != nil {
		return err
	} else if reason := badKey(id, key); reason != "" {
		return errors.New(reason)
	}
	return checkInner(c.inner)
}

// checkInner asks the wrapped codec.
func checkInner[T any](c idem.Codec[T]) error {
	if c == nil {
		return errors.New("the codec that it wraps is nil")
	}
	if inner, ok := c.(interface{ Check() error }); ok {
		return inner.Check()
	}
	return nil
}

// Encode encrypts what the wrapped codec makes of v.
func (c Encrypted[T, C]) Encode(ref idem.Ref, v T) ([]byte, error) {
	data, err := c.inner.Encode(ref, v)
	if err != nil || c.store {
		return data, err
	}
	return c.seal(ref, c.inner.Name(), data)
}

// Decode reads what Encode wrote.
func (c Encrypted[T, C]) Decode(ref idem.Ref, data []byte) (v T, err error) {
	if !c.store {
		if data, err = c.open(ref, c.inner.Name(), data); err != nil {
			return v, err
		}
	}
	return c.inner.Decode(ref, data)
}

// Unwrap decrypts a row, and leaves it to the wrapped codec. It refuses one in plain text, unless an option accepts it.
func (c Encrypted[T, C]) Unwrap(ref idem.Ref, name string, data []byte) (next idem.Codec[T], inner string, rest []byte, err error) {
	inner, encrypted := strings.CutPrefix(name, aesgcm+"+")
	switch {
	case encrypted:
		rest, err = c.open(ref, inner, data)
	case c.accept:
		rest = data
	default:
		err = idem.Unreadable("it is not encrypted, and this program reads only what is (see codec.AcceptPlaintext)", nil)
	}
	return c.inner, inner, rest, err
}

// EncodeError encrypts a final error as it does results.
func (c Encrypted[T, C]) EncodeError(ref idem.Ref, name string, data []byte) (string, []byte, error) {
	name, data, err := encodeError(c.inner, ref, name, data)
	if err != nil || c.store {
		return name, data, err
	}
	data, err = c.seal(ref, name, data)
	return aesgcm + "+" + name, data, err
}

// DecodeError reads what EncodeError wrote. It refuses an error in plain text, unless an option accepts it.
func (c Encrypted[T, C]) DecodeError(ref idem.Ref, name string, data []byte) (string, []byte, error) {
	_, name, data, err := c.Unwrap(ref, name, data)
	if err != nil {
		return name, nil, err
	}
	return decodeError(c.inner, ref, name, data)
}

// encodeError and decodeError leave an error to a codec that has a say in it.
func encodeError[T any](c idem.Codec[T], ref idem.Ref, name string, data []byte) (string, []byte, error) {
	if e, ok := c.(idem.ErrorCodec); ok {
		return e.EncodeError(ref, name, data)
	}
	return name, data, nil
}

func decodeError[T any](c idem.Codec[T], ref idem.Ref, name string, data []byte) (string, []byte, error) {
	if e, ok := c.(idem.ErrorCodec); ok {
		return e.DecodeError(ref, name, data)
	}
	return name, data, nil
}

// IsEncrypted tells by the name of a row's codec whether its bytes are encrypted by Encrypt, at whatever layer: nothing of them is for
// people to see.
func IsEncrypted(name string) bool {
	for part := range strings.SplitSeq(name, "+") {
		if part == aesgcm {
			return true
		}
	}
	return false
}
