package scenarios

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is results as bytes: none, all there are, and very many of them, through every way in which the driver can send a statement.

// inEveryMode plays a test once for each mode of the engine's pool. The stage looks at the rows in the default one.
func inEveryMode(t *testing.T, test func(s *stage)) {
	for _, mode := range execModes {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.worksOn(postgres.NewStore(pgtest.PoolOf(t, s.dsn, sendingAs(mode))))
			test(s)
		})
	}
}

// verbatim is a codec that stores the bytes of a string and nothing else.
type verbatim struct{}

func (verbatim) Name() string { return "verbatim" }

func (verbatim) Encode(_ idem.Ref, v string) ([]byte, error) {
	if v == "" {
		return nil, nil
	}
	return []byte(v), nil
}

func (verbatim) Decode(_ idem.Ref, data []byte) (string, error) { return string(data), nil }

func asBytes(op *idem.Operation[string]) { op.Codec = verbatim{} }

// comesBack calls an operation that returns want twice, and compares both answers and the stored bytes.
func (s *stage) comesBack(op *idem.Operation[string], key, want string) {
	s.Helper()
	runs := 0
	for i := range 2 {
		ctx, info := idem.WithInfo(context.Background())
		got, err := idem.Do(ctx, s.engine, op, idem.Call[string]{
			Key: idem.StringKey(key), Run: func(context.Context) (string, error) { runs++; return want, nil },
		})
		if got != want || err != nil || !info.Stored || info.Replayed != (i == 1) {
			s.Errorf("%s, call %d: got %d bytes, %v, %+v; want %d bytes", key, i+1, len(got), err, info, len(want))
		}
	}
	if r := s.charged(key); r.State != int(idem.StateDone) || r.Result == nil || op.Codec != nil && string(r.Result) != want {
		s.Errorf("%s: %d bytes are stored in state %s", key, len(r.Result), r)
	}
	if runs != 1 {
		s.Errorf("%s: it ran %d times", key, runs)
	}
}

// TestF4: a result that has no bytes is a result.
func TestF4_AResultOfNoBytesIsStoredAndReplayed(t *testing.T) {
	t.Parallel()
	inEveryMode(t, func(s *stage) { s.comesBack(with(asBytes), "k", "") })
}

// TestF4 the other way round: where the table refuses such a result, that is heard of.
func TestF4_AnOutcomeThatTheTableRefusesIsSaidAloud(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.exec("ALTER TABLE idem_claims ADD CONSTRAINT nonempty CHECK (result <> '')")
	s.method = func(context.Context, int64) (string, error) { return "", nil }
	ctx, info := idem.WithInfo(t.Context())
	if out, err := s.call(ctx, with(asBytes), "k", "a"); out != "" || err != nil || info.Stored {
		t.Errorf("got %q, %v, %+v", out, err, info)
	}
	s.events.mu.Lock()
	var said *idem.StoreError
	for _, ev := range s.events.seen {
		if ev.Kind == idem.EventCompleteFailed && !errors.As(ev.Err, &said) {
			t.Errorf("%s says %v", ev.Kind, ev.Err)
		}
	}
	s.events.mu.Unlock()
	if said == nil {
		t.Fatalf("observers heard only %v", s.events.kinds())
	}
	_, err := s.call(t.Context(), with(conflict), "k", "a")
	wantErr(t, err, idem.ErrInFlight)
	s.exec("ALTER TABLE idem_claims DROP CONSTRAINT nonempty")
	s.await(idem.EventCompleted, 1)
	if out, err := s.call(t.Context(), with(asBytes), "k", "a"); out != "" || err != nil {
		t.Errorf("the replay: %q, %v", out, err)
	}
	s.wantRuns(1)
}

// TestF8: bytes are sent as bytes in every mode, whatever they look like.
func TestF8_EveryByteSurvivesEveryWayOfSending(t *testing.T) {
	t.Parallel()
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	noise := make([]byte, 10_000)
	_, _ = rand.Read(noise)
	inEveryMode(t, func(s *stage) {
		for name, value := range map[string]string{
			"all": string(all), "all reversed": string(reversed(all)), "noise": string(noise), "NUL": "\x00", "NULs": "\x00\x00\x00\x00",
			"hex": `\x4142`, "octal": `\101\000\\`, "quotes": `'"$$''\'`, "a parameter": "$1", "JSON": `{"a":null}`, "null": "null", "NULL": "NULL",
		} {
			s.comesBack(with(asBytes), name, value)
		}
	})
}

func reversed(b []byte) (r []byte) {
	for i := range b {
		r = append(r, b[len(b)-1-i])
	}
	return r
}

// TestF12: a result is stored whatever its size up to the limit, and above it is a success that can't be replayed; never a second run.
func TestF12_AResultIsStoredUpToTheLimitAndNeverRunAgainAboveIt(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for _, c := range []struct {
		name   string
		opts   []idem.Option
		stored []int // sizes
		not    []int
	}{
		// Postgres moves values out of a row's page at about 2 kB, and a page has 8 kB.
		{"default", nil, []int{1996, 2004, 2048, 8191, 8192, 8193, 100_000, mib - 1, mib}, []int{mib + 1}},
		{"raised", []idem.Option{idem.WithMaxResult(6 * mib)}, []int{mib + 1, 3*mib + 7, 6*mib - 1, 6 * mib}, []int{6*mib + 1}},
		{"lowered", []idem.Option{idem.WithMaxResult(1)}, []int{0, 1}, []int{2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c.opts...)
			noise := make([]byte, 6*mib+1) // so that nothing can be compressed
			_, _ = rand.Read(noise)
			for _, size := range c.stored {
				s.comesBack(with(asBytes), fmt.Sprint(size), string(noise[:size]))
			}
			for _, size := range c.not {
				s.tooLarge(fmt.Sprint(size), string(noise[:size]))
			}
		})
	}
}

// tooLarge makes a call whose result is above the limit, and retries it.
func (s *stage) tooLarge(key, result string) {
	s.Helper()
	before := s.runs.Load()
	s.method = func(context.Context, int64) (string, error) { return result, nil }
	ctx, info := idem.WithInfo(context.Background())
	if out, err := s.call(ctx, with(asBytes), key, "a"); out != result || err != nil || info.Stored {
		s.Errorf("%s: the first call got %d bytes, %v, %+v", key, len(out), err, info)
	}
	ctx, info = idem.WithInfo(context.Background())
	_, err := s.call(ctx, with(asBytes), key, "a")
	if wantErr(s, err, idem.ErrResultNotStored); !info.Replayed || info.Stored {
		s.Errorf("%s: a retry: %+v", key, info)
	}
	if r := s.charged(key); r.State != int(idem.StateDone) || r.Codec != "none" || len(r.Result) != 0 {
		s.Errorf("%s: the row is %s with codec %q", key, r, r.Codec)
	}
	s.wantRuns(before + 1)
}
