package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/idem/sqlite"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file compares what calls cost on SQLite and on Postgres, in one run on one disk: both commit durably, and they take turns, so that
// whatever else the machine does troubles both. Run it by make bench-sqlite.

// contestant is a store that takes part.
type contestant struct {
	name   string
	engine *idem.Engine
	took   time.Duration
}

// round has so many callers call at once, each with its key.
func (c *contestant) round(b *testing.B, callers int, key func(caller int) string) {
	began := time.Now()
	idemtest.Callers(b, callers, func(i int) {
		_, err := idem.Do(context.Background(), c.engine, &charge, idem.Call[string]{
			Key: idem.StringKey(key(i)),
			Run: func(context.Context) (string, error) { return strings.Repeat("x", 98), nil }, // 100 bytes as JSON
		})
		if err != nil {
			b.Error(err)
		}
	})
	c.took += time.Since(began)
}

var charge = idem.Operation[string]{Name: "example.com/shop.Payments.Charge", Lease: time.Minute}

func newContestant(b *testing.B, name string, store idem.Store) *contestant {
	b.Helper()
	engine, err := idem.New(store)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = engine.Close() })
	return &contestant{name: name, engine: engine}
}

// contestants are the store on each driver, with the settings that docs/sqlite.md advises, and last the one on Postgres.
func contestants(b *testing.B) (all []*contestant) {
	b.Helper()
	for _, d := range drivers {
		db := d.open(b, filepath.Join(b.TempDir(), "claims.db"), "busy_timeout(0)", "synchronous(EXTRA)")
		db.SetMaxIdleConns(20)
		if err := sqlite.Migrate(context.Background(), db); err != nil {
			b.Fatal(err)
		}
		all = append(all, newContestant(b, d.name, sqlite.NewStore(db)))
	}
	server, err := pgtest.Start(context.Background(), pgtest.Options{Durable: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := server.Stop(); err != nil {
			b.Error(err)
		}
	})
	pool := pgtest.PoolOf(b, server.Database(b))
	if err := postgres.Migrate(context.Background(), pool); err != nil {
		b.Fatal(err)
	}
	return append(all, newContestant(b, "postgres", postgres.NewStore(pool)))
}

func BenchmarkAgainstPostgres(b *testing.B) {
	all := contestants(b)
	for _, callers := range []int{1, 8, 32} {
		for _, replay := range []bool{false, true} {
			name := map[bool]string{false: "first", true: "replay"}[replay]
			b.Run(fmt.Sprintf("%s/%d", name, callers), func(b *testing.B) {
				n := 0
				key := func(caller int) string { return fmt.Sprintf("%d of %d, round %d", caller, callers, n) }
				if replay {
					key = func(int) string { return "the same" }
				}
				for _, c := range all {
					c.round(b, callers, key) // connects, and stores what is replayed
					c.took = 0
				}
				for b.Loop() {
					n++
					for _, c := range all {
						c.round(b, callers, key)
					}
				}
				b.ReportMetric(0, "ns/op")
				for _, c := range all {
					b.ReportMetric(float64(n*callers)/c.took.Seconds(), c.name+"-calls/s")
					b.ReportMetric(float64(all[len(all)-1].took)/float64(c.took), c.name+"/postgres")
				}
			})
		}
	}
}
