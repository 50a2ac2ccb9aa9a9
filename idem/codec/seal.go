package codec

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/idemgen/idemgen/idem"
)

// This file is the form of encrypted bytes. They are stored data: vectors pin it.
//
//	version 1 | length of the key's id | id | nonce, 12 bytes | ciphertext | tag, 16 bytes
//
// Authenticated with them are version, length and id as they stand there, and then, each with its length in front (4 bytes, big
// endian), the row's operation, scope and key, and the name of the wrapped codec.

const (
	sealVersion  = 1
	sealOverhead = 12 + 16 // nonce and tag
)

// seal encrypts data of the row that ref names.
func (s *sealing) seal(ref idem.Ref, inner string, data []byte) ([]byte, error) {
	id, key, err := s.keys.Current()
	if err != nil {
		return nil, err
	}
	if reason := badKey(id, key); reason != "" {
		return nil, errors.New(reason)
	}
	aead, err := s.aeads.of(key)
	if err != nil {
		return nil, err
	}
	header := append([]byte{sealVersion, byte(len(id))}, id...)
	out := make([]byte, len(header), len(header)+len(data)+sealOverhead)
	copy(out, header)
	return aead.Seal(out, nil, data, bound(header, ref, inner)), nil
}

// open decrypts what seal made for the same row.
func (s *sealing) open(ref idem.Ref, inner string, data []byte) ([]byte, error) {
	if s == nil || s.keys == nil {
		return nil, errNoKeys
	}
	switch {
	case len(data) > 0 && data[0] != sealVersion:
		return nil, idem.Unreadable(fmt.Sprintf("it is encrypted in form %d, and this program knows form %d", data[0], sealVersion), nil)
	case len(data) < 2, data[1] == 0, len(data) < 2+int(data[1])+sealOverhead:
		return nil, idem.Unreadable("its bytes are not what aesgcm writes", nil)
	}
	end := 2 + int(data[1])
	header, id := data[:end], string(data[2:end])
	key, err := s.keys.Key(id)
	switch {
	case errors.Is(err, ErrUnknownKey):
		return nil, idem.Unreadable(fmt.Sprintf("it is encrypted with key %q, which this program does not have", id), err)
	case err != nil:
		return nil, idem.Unreadable(fmt.Sprintf("it is encrypted with key %q, which can't be had", id), err)
	}
	if reason := badKey(id, key); reason != "" {
		return nil, idem.Unreadable(reason, nil)
	}
	aead, err := s.aeads.of(key)
	if err != nil {
		return nil, err
	}
	opened, err := aead.Open(nil, nil, data[end:], bound(header, ref, inner))
	if err != nil {
		return nil, idem.Unreadable(fmt.Sprintf("it can't be decrypted with key %q: the key is another one, or its bytes were changed, or are another row's", id), err)
	}
	return opened, nil
}

// bound is what a row's bytes are bound to.
func bound(header []byte, ref idem.Ref, inner string) []byte {
	out := append([]byte(nil), header...)
	for _, part := range []string{ref.Operation, ref.Scope, ref.Key, inner} {
		out = binary.BigEndian.AppendUint32(out, uint32(len(part)))
		out = append(out, part...)
	}
	return out
}

// aeads keeps ciphers by their keys: to make one costs more than to encrypt a small result. They are as many as a program has keys.
type aeads struct{ byKey sync.Map }

func (a *aeads) of(key []byte) (cipher.AEAD, error) {
	k := [KeySize]byte(key)
	if known, ok := a.byKey.Load(k); ok {
		return known.(cipher.AEAD), nil
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	known, _ := a.byKey.LoadOrStore(k, aead)
	return known.(cipher.AEAD), nil
}
