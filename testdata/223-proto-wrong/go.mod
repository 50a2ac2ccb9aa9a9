module example.com/proto

go 1.26

require (
	github.com/idemgen/idemgen/idem/codec/protobuf v0.1.0
	google.golang.org/protobuf v1.36.0
)

replace google.golang.org/protobuf => ./protobuf

replace github.com/idemgen/idemgen/idem/codec/protobuf => ./codec
