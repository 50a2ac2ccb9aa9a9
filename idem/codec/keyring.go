package codec

import (
	"bytes"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// This file is the keys that results are encrypted with.

// KeySize is the length of a key in bytes.
const KeySize = 32

// maxKeyID is the most bytes that a key's id may have: it stands in each row with its length in one byte.
const maxKeyID = 255

// Keys gives keys by their ids, which stand in each row. An id means one key for ever: what was encrypted with another key under the same id
// is lost. All methods may be called at once from many goroutines, Current at the beginning of every call that stores a result; so they
// should answer from memory. What they return is not changed.
type Keys interface {
	// Current is the key that new rows are encrypted with.
	Current() (id string, key []byte, err error)
	// Key is the key of a row. The error for an id that nobody knows is, by errors.Is, ErrUnknownKey.
	Key(id string) (key []byte, err error)
}

// ErrUnknownKey says that a row is encrypted with a key that this program does not have.
var ErrUnknownKey = errors.New("unknown key")

// Keyring is Keys that are known when the program starts. However it is printed, it shows no key.
type Keyring struct {
	current string
	keys    map[string][]byte
}

// NewKeyring makes a keyring of keys by their ids, of which current encrypts new rows. The others are there to read older ones. To change
// keys, first give all processes the new key beside the current one, then make it current, and take the old one out when the last row
// it encrypted has expired.
func NewKeyring(current string, keys map[string][]byte) (*Keyring, error) {
	if _, ok := keys[current]; !ok {
		return nil, fmt.Errorf("codec: the current key %q is not among the keys", current)
	}
	k := &Keyring{current: current, keys: map[string][]byte{}}
	for id, key := range keys {
		if reason := badKey(id, key); reason != "" {
			return nil, errors.New("codec: " + reason)
		}
		for other, known := range k.keys {
			if bytes.Equal(known, key) {
				return nil, fmt.Errorf("codec: keys %q and %q are the same; an id that is new needs a key that is", min(id, other), max(id, other))
			}
		}
		k.keys[id] = bytes.Clone(key)
	}
	return k, nil
}

// badKey says what is wrong with a key or its id; never with what the key is.
func badKey(id string, key []byte) string {
	switch {
	case id == "" || len(id) > maxKeyID || !utf8.ValidString(id) || bytes.ContainsFunc([]byte(id), unicode.IsControl):
		return fmt.Sprintf("the id of a key has 1 to %d bytes of UTF-8 without control characters", maxKeyID)
	case len(key) != KeySize:
		return fmt.Sprintf("key %q has %d bytes; AES-256 needs %d", id, len(key), KeySize)
	case bytes.Count(key, key[:1]) == len(key):
		return fmt.Sprintf("key %q is one byte over and over: it was not read from where it should be", id)
	}
	return ""
}

// Current is the key that new rows are encrypted with.
func (k *Keyring) Current() (id string, key []byte, err error) {
	if k == nil {
		return "", nil, errNoKeys
	}
	return k.current, k.keys[k.current], nil
}

// Key is the key with that id.
func (k *Keyring) Key(id string) ([]byte, error) {
	if k == nil {
		return nil, errNoKeys
	}
	key, ok := k.keys[id]
	if !ok {
		return nil, ErrUnknownKey
	}
	return key, nil
}

// Format writes how many keys there are, whatever the verb.
func (k Keyring) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "codec.Keyring(current %q of %d)", k.current, len(k.keys))
}

// MarshalText is what Format writes, so that logs in json show no more.
func (k Keyring) MarshalText() ([]byte, error) { return fmt.Append(nil, k), nil }
