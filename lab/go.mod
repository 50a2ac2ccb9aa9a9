// The laboratory: what needs other people's modules to be proved, kept away from everybody who imports idemgen.
module github.com/idemgen/idemgen/lab

go 1.26.0

replace github.com/idemgen/idemgen => ../

replace github.com/idemgen/idemgen/idem/codec/protobuf => ../idem/codec/protobuf

replace github.com/idemgen/idemgen/idem/codec/zstd => ../idem/codec/zstd

require (
	connectrpc.com/connect v1.21.1
	github.com/Rhymond/go-money v1.0.15
	github.com/cockroachdb/apd/v3 v3.2.3
	github.com/gofrs/uuid/v5 v5.5.1
	github.com/google/uuid v1.6.0
	github.com/idemgen/idemgen v0.0.0-00010101000000-000000000000
	github.com/idemgen/idemgen/idem/codec/protobuf v0.0.0-00010101000000-000000000000
	github.com/idemgen/idemgen/idem/codec/zstd v0.0.0-00010101000000-000000000000
	github.com/jackc/pgx/v5 v5.13.0
	github.com/oapi-codegen/runtime v1.9.0
	github.com/oklog/ulid/v2 v2.1.2
	github.com/rs/xid v1.6.0
	github.com/shopspring/decimal v1.6.0
	golang.org/x/tools v0.52.0
	google.golang.org/grpc v1.85.0
	google.golang.org/protobuf v1.36.12
	gopkg.in/guregu/null.v4 v4.0.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/apapsch/go-jsonmerge/v2 v2.0.0 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260817212433-ac3dfec99bb1 // indirect
)
