package sqlite_test

import (
	"context"
	"database/sql"
	"log"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/sqlite"
)

// The driver is whichever one the program imports; its name for database/sql is "sqlite" for modernc.org/sqlite, and "sqlite3" for
// mattn/go-sqlite3 and ncruces/go-sqlite3.
func Example() {
	db, err := sql.Open("sqlite", "file:claims.db")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if err := sqlite.Migrate(context.Background(), db); err != nil {
		log.Fatal(err)
	}
	engine, err := idem.New(sqlite.NewStore(db), idem.WithSweep(time.Minute))
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	// payments := NewIdempotentPayments(cards, engine)
}

// A database in memory is gone with its process. Each connection would have one of its own, so there is one.
func ExampleNewStore_memory() {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if err := sqlite.Migrate(context.Background(), db); err != nil {
		log.Fatal(err)
	}
	_ = sqlite.NewStore(db)
}
