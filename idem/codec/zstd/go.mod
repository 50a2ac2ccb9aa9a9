// Compression of stored results, in a module of its own: who does not use it does not need what it needs.
module github.com/idemgen/idemgen/idem/codec/zstd

go 1.26.0

replace github.com/idemgen/idemgen => ../../..

require (
	github.com/idemgen/idemgen v0.0.0-00010101000000-000000000000
	github.com/klauspost/compress v1.20.4
)
