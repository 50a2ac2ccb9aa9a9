// Package codec has codecs that need nothing beyond the standard library: gob, encryption, and one for changing from one codec to another.
// Packages protobuf and zstd below it have those that need more; each is a module of its own.
//
// Encrypt and zstd.Compress wrap another codec and work on its bytes. What is compressed can be encrypted, and not the other way round:
//
//	func Stored[T any]() codec.Encrypted[T, zstd.Compressed[T, idem.JSON[T]]] {
//		return codec.Encrypt(keys, zstd.Compress(idem.JSON[T]{}))
//	}
//
// and then, above an interface, //idem:codec Stored. Written with its full type, as here, the function also tells the generator that the results have to
// survive json; one that returns an idem.Codec[T] says nothing of what it does.
//
// A wrapping codec reads more than it writes: rows from before it was put around another one, and from before it was taken off. See
// docs/codecs.md for what to do in which order.
package codec
