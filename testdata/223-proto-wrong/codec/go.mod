module github.com/idemgen/idemgen/idem/codec/protobuf

go 1.26
