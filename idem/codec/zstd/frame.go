package zstd

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/idemgen/idemgen/idem"
)

// This file is the form of the bytes: one that says how they are, and then the result, as it is or as one zstd frame. It is stored data:
// vectors pin it. The frames themselves may differ with the library's version.

const (
	asItIs byte = 0
	frame  byte = 1
)

// pack makes the stored bytes; from as many on it compresses, unless that is no use.
func pack(data []byte, from int) ([]byte, error) {
	if len(data) >= from {
		e, err := encoder()
		if err != nil {
			return nil, err
		}
		if packed := e.EncodeAll(data, []byte{frame}); len(packed) <= len(data) {
			return packed, nil
		}
	}
	return append([]byte{asItIs}, data...), nil
}

// unpack undoes pack. It makes no more than limit bytes, whatever the stored ones say.
func unpack(data []byte, limit int) ([]byte, error) {
	tooLarge := func() error {
		return idem.Unreadable(fmt.Sprintf("it has more than the %d bytes that are read (see zstd.MaxDecoded)", limit), nil)
	}
	switch {
	case len(data) == 0 || data[0] > frame:
		return nil, idem.Unreadable("its bytes are not what zstd.Compress writes", nil)
	case data[0] == asItIs && len(data)-1 > limit:
		return nil, tooLarge()
	case data[0] == asItIs:
		return data[1:], nil
	}
	d, err := decoder(limit)
	if err != nil {
		return nil, err
	}
	out, err := d.DecodeAll(data[1:], []byte{})
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeExceeded), len(out) > limit:
		return nil, tooLarge()
	case err != nil:
		return nil, idem.Unreadable("it can't be decompressed: its bytes were changed", err)
	}
	return out, nil
}

// encoder is one for all: EncodeAll can be called at once from many goroutines.
var encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderCRC(true), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(window))
})

// window is how far back a frame refers: as much as a result has by default, and what a decoder has to keep.
const window = 1 << 20

var decoders sync.Map // limit → *zstd.Decoder; there are as many limits as the program's source has

// decoder is one for all with the same limit: DecodeAll can be called at once from many goroutines.
func decoder(limit int) (*zstd.Decoder, error) {
	if known, ok := decoders.Load(limit); ok {
		return known.(*zstd.Decoder), nil
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(uint64(limit)), zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		return nil, err
	}
	known, _ := decoders.LoadOrStore(limit, d)
	return known.(*zstd.Decoder), nil
}
