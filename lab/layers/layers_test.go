// Package layers plays compressed and encrypted results on a real Postgres: what the engine stores is what the table shows, and no more.
package layers

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/codec"
	"github.com/idemgen/idemgen/idem/codec/zstd"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// report is a result with a secret at its beginning and its end, and enough between them to be compressed.
type report struct {
	First string
	Lines []string
	Last  string
}

const secret = "4242-4242-4242-4242"

func newReport() report {
	return report{secret, strings.Split(strings.Repeat("a line of a report,", 2000), ","), secret}
}

func key(b byte) []byte { return append(bytes.Repeat([]byte{b}, 31), b+1) }

func keyring(t *testing.T, current string, others ...string) *codec.Keyring {
	t.Helper()
	keys := map[string][]byte{}
	for _, id := range append(others, current) {
		keys[id] = key(id[0])
	}
	k, err := codec.NewKeyring(current, keys)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

type stored = codec.Encrypted[report, zstd.Compressed[report, idem.JSON[report]]]

func layers(k codec.Keys, opts ...codec.EncryptOption) stored {
	return codec.Encrypt(k, zstd.Compress(idem.JSON[report]{}), opts...)
}

// world is a server of the test's own, which logs every statement with its parameters, and an engine.
type world struct {
	testing.TB
	pool   *pgxpool.Pool
	engine *idem.Engine
	runs   atomic.Int64
}

func newWorld(t *testing.T, opts ...postgres.Option) *world {
	t.Helper()
	s, err := pgtest.Start(t.Context(), pgtest.Options{Settings: map[string]string{
		"log_statement": "all", "log_min_duration_statement": "0", "log_parameter_max_length": "-1",
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	w := &world{TB: t, pool: pgtest.PoolOf(t, s.Database(t))}
	if err := postgres.Migrate(t.Context(), w.pool); err != nil {
		t.Fatal(err)
	}
	if w.engine, err = idem.New(postgres.NewStore(w.pool, opts...)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) report(c idem.Codec[report], key string) (report, error) {
	op := idem.Operation[report]{Name: "shop.Report", Codec: c}
	return idem.Do(context.Background(), w.engine, &op, idem.Call[report]{
		Key: idem.StringKey(key), Scope: idem.StringKey("tenant"),
		Run: func(context.Context) (report, error) {
			w.runs.Add(1)
			return newReport(), nil
		},
	})
}

// text is what a query returns.
func (w *world) text(query string, args ...any) (text string) {
	w.Helper()
	if err := w.pool.QueryRow(context.Background(), query, args...).Scan(&text); err != nil {
		w.Fatal(err)
	}
	return text
}

func same(r report) bool { return fmt.Sprint(r) == fmt.Sprint(newReport()) }

func TestLayers_NeitherTableNorLogShowsTheResult(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := layers(keyring(t, "a"))
	for range 2 {
		if r, err := w.report(c, "k"); err != nil || !same(r) {
			t.Fatal(r, err)
		}
	}
	plain, err := idem.JSON[report]{}.Encode(idem.Ref{}, newReport())
	if err != nil {
		t.Fatal(err)
	}
	row := w.text(`SELECT c::text FROM idem_claims c`)
	log := w.text(`SELECT convert_from(pg_read_binary_file(current_setting('data_directory') || '/../log'), 'UTF8')`)
	if name, size := w.text(`SELECT codec FROM idem_claims`), len(row); name != "aesgcm+zstd+json" || size > len(plain)/2 {
		t.Errorf("%d bytes of %s, for %d", size, name, len(plain))
	}
	if !strings.Contains(log, "shop.Report") {
		t.Fatal("the log does not show statements")
	}
	for name, text := range map[string]string{"the table": row, "the log": log} {
		for _, form := range []string{secret, "a line of", hex.EncodeToString([]byte(secret)), hex.EncodeToString(key('a')[:8])} {
			if strings.Contains(text, form) {
				t.Errorf("%s shows %q", name, form)
			}
		}
	}
	if w.runs.Load() != 1 {
		t.Errorf("%d runs", w.runs.Load())
	}
}

func TestLayers_RowsCannotBeMovedAlsoWithoutTheirKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, postgres.WithoutKeys())
	c := layers(keyring(t, "a"))
	for _, k := range []string{"k", "other"} {
		for range 2 { // run, and replayed, though the row does not hold the key
			if r, err := w.report(c, k); err != nil || !same(r) {
				t.Fatal(r, err)
			}
		}
	}
	if held := w.text(`SELECT count(key)::text FROM idem_claims`); held != "0" {
		t.Fatalf("%s keys are in the table", held)
	}
	if _, err := w.pool.Exec(t.Context(), `UPDATE idem_claims SET result = (SELECT result FROM idem_claims ORDER BY id LIMIT 1)`); err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, k := range []string{"k", "other"} {
		r, err := w.report(c, k)
		switch {
		case err == nil && same(r):
			read++
		case !errors.Is(err, idem.ErrUnreadable) || strings.Contains(err.Error(), secret):
			t.Errorf("%v, %v", r, err)
		}
	}
	if read != 1 || w.runs.Load() != 2 {
		t.Errorf("%d of two rows with the same bytes are read, after %d runs", read, w.runs.Load())
	}
}

// TestLayers_AreSwitchedOnUnderLoad: json, then both layers, then another key, with all callers getting one outcome for each key.
func TestLayers_AreSwitchedOnUnderLoad(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	builds := []idem.Codec[report]{
		idem.JSON[report]{},
		layers(keyring(t, "a"), codec.AcceptPlaintext()),
		layers(keyring(t, "b", "a"), codec.AcceptPlaintext()),
		layers(keyring(t, "b", "a"), codec.StorePlaintext()),
	}
	for i, c := range builds {
		var wg sync.WaitGroup
		for n := range 8 {
			wg.Go(func() {
				for k := range 4 * (i + 1) { // keys of the builds before, and new ones
					if r, err := w.report(c, fmt.Sprint("key ", k)); err != nil || !same(r) {
						t.Errorf("build %d, caller %d: %v", i, n, err)
					}
				}
			})
		}
		wg.Wait()
	}
	if got, want := w.runs.Load(), int64(4*len(builds)); got != want {
		t.Errorf("%d runs for %d keys", got, want)
	}
	kinds := w.text(`SELECT string_agg(codec || ' ' || n, ', ' ORDER BY codec) FROM (SELECT codec, count(*) AS n FROM idem_claims GROUP BY codec) c`)
	if kinds != "aesgcm+zstd+json 8, json 4, zstd+json 4" {
		t.Errorf("rows: %s", kinds)
	}
}
