package idem

import (
	"encoding/hex"
	"reflect"
	"sync"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file is the hash that is stored with a result to tell in which shape it was stored: the first 8 bytes of SHA-256 over the
// canonical text of its json. The text's grammar stands with shape.Schema, which can write it from source as well.

var schemaHashes sync.Map // reflect.Type → []byte

func schemaHash(t reflect.Type) []byte {
	if h, ok := schemaHashes.Load(t); ok {
		return h.([]byte)
	}
	sum, _ := hex.DecodeString(shape.Hash(shape.Of(t)))
	h, _ := schemaHashes.LoadOrStore(t, sum)
	return h.([]byte)
}
