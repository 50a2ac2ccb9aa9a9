module example.com/shop

go 1.26.0

require (
	github.com/cenkalti/backoff/v4 v4.3.0
	github.com/google/uuid v1.6.0
	github.com/idemgen/idemgen v0.0.0
	github.com/jackc/pgx/v5 v5.13.0
)

// Only their names matter here.
replace (
	github.com/cenkalti/backoff/v4 => ./stubs/backoff
	github.com/google/uuid => ./stubs/uuid
	github.com/idemgen/idemgen => ../..
	github.com/jackc/pgx/v5 => ./stubs/pgx
)
