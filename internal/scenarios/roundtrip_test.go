package scenarios

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file sends random results of many types through the whole runtime and the database, and compares what comes back in
// another process. Both processes send their statements in ways of their own.

// TestI11: what a replay gives is what the first caller got, for every value of every type that the generator lets through.
func TestI11_EveryResultComesBackEqual(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	m := maker{rand.New(rand.NewPCG(seed, 11))}
	dsn := pgtest.Database(t)
	writer := stageOn(t, dsn, nil)
	reader := stageOn(t, dsn, func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol })
	for range 2 {
		comesBack[bool](t, m, writer, reader)
		comesBack[int64](t, m, writer, reader)
		comesBack[uint64](t, m, writer, reader)
		comesBack[float32](t, m, writer, reader)
		comesBack[float64](t, m, writer, reader)
		comesBack[string](t, m, writer, reader)
		comesBack[[]byte](t, m, writer, reader)
		comesBack[time.Time](t, m, writer, reader)
		comesBack[*time.Time](t, m, writer, reader)
		comesBack[kinds](t, m, writer, reader)
		comesBack[*kinds](t, m, writer, reader)
		comesBack[receipt](t, m, writer, reader)
		comesBack[[]*receipt](t, m, writer, reader)
		comesBack[map[string][]string](t, m, writer, reader)
		comesBack[map[int8]map[uint64]*money](t, m, writer, reader)
		comesBack[map[code][]code](t, m, writer, reader)
		comesBack[embedding](t, m, writer, reader)
		comesBack[[]embeddingPointer](t, m, writer, reader)
		comesBack[page[embedding]](t, m, writer, reader)
		comesBack[pair[string, page[money]]](t, m, writer, reader)
		comesBack[pair[code, *time.Duration]](t, m, writer, reader)
		comesBack[tree](t, m, writer, reader)
		writer, reader = reader, writer
	}
}

func comesBack[T any](t *testing.T, m maker, writer, reader *stage) {
	t.Helper()
	op := &idem.Operation[T]{Name: fmt.Sprintf("scenarios.Back[%s]", idem.TypeName[T]())}
	for range 12 {
		var want T
		m.fill(reflect.ValueOf(&want).Elem(), 3)
		key := idem.StringKey(fmt.Sprintf("%x", m.Uint64()))
		for _, s := range []*stage{writer, reader} {
			ctx, info := idem.WithInfo(t.Context())
			got, err := idem.Do(ctx, s.engine, op, idem.Call[T]{Key: key, Run: func(context.Context) (T, error) { return want, nil }})
			if err != nil || !info.Stored || info.Replayed != (s == reader) {
				t.Errorf("%s: %v, %+v, for %#v", op.Name, err, *info, want)
			} else if d := difference(reflect.ValueOf(&want).Elem(), reflect.ValueOf(&got).Elem()); d != "" {
				t.Errorf("%s came back different: %s", op.Name, d)
			}
		}
	}
}
