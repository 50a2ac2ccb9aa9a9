// Protobuf messages as results, in a module of its own: who has none does not need what it needs.
module github.com/idemgen/idemgen/idem/codec/protobuf

go 1.26.0

replace github.com/idemgen/idemgen => ../../..

require (
	github.com/idemgen/idemgen v0.0.0-00010101000000-000000000000
	google.golang.org/protobuf v1.36.12
)
