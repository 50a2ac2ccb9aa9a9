package scenarios

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is successes whose outcome can't be stored: what the caller gets, what a retry finds meanwhile, and what is left when the database
// is well again.

// unstorable is a way in which completing fails, again and again until it is healed.
type unstorable struct {
	name   string
	breaks func(s *stage, cut *idemtest.Cut) (heal func())
	retry  error // what a duplicate gets meanwhile; nil: the outcome
}

var unstorables = []unstorable{
	{"the connection breaks", func(_ *stage, cut *idemtest.Cut) func() {
		return cut.Inject(sqlComplete, idemtest.Fault{Times: idemtest.Always}).Stop
	}, idem.ErrInFlight},
	{"the database hangs", func(s *stage, cut *idemtest.Cut) func() {
		gate := idemtest.NewGate(s)
		hang := cut.Inject(sqlComplete, idemtest.Fault{Do: idemtest.Delay, Gate: gate, Times: idemtest.Always})
		return func() { hang.Stop(); gate.Open() }
	}, idem.ErrInFlight},
	{"the database refuses it", func(s *stage, _ *idemtest.Cut) func() {
		s.exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not today'; END $$`)
		s.exec(`CREATE TRIGGER refuse BEFORE UPDATE ON idem_claims FOR EACH ROW WHEN (NEW.state = 2) EXECUTE FUNCTION refuse()`)
		return func() { s.exec(`DROP TRIGGER refuse ON idem_claims`) }
	}, idem.ErrInFlight},
	{"every answer is lost", func(_ *stage, cut *idemtest.Cut) func() {
		return cut.Inject(sqlComplete, idemtest.Fault{Do: idemtest.LoseAnswer, Times: idemtest.Always}).Stop
	}, nil},
}

// broken is a stage on which completing fails, and what heals it.
func (u unstorable) broken(t *testing.T) (s *stage, heal func()) {
	s = newStage(t)
	cut := s.behindCut(idem.WithStoreTimeout(1500 * time.Millisecond))
	s.method = func(context.Context, int64) (string, error) { return "charged", nil }
	return s, u.breaks(s, cut)
}

// TestPB3: the effect happened, and the caller is told so, whatever becomes of the record.
func TestPB3_AGoodResponseIsGivenThoughItCannotBeStored(t *testing.T) {
	t.Parallel()
	for _, u := range unstorables {
		t.Run(u.name, func(t *testing.T) {
			t.Parallel()
			s, heal := u.broken(t)
			ctx, info := idem.WithInfo(t.Context())
			out, err := s.call(ctx, &charge, "k", "a")
			if out != "charged" || err != nil || info.Stored || info.Replayed || info.Attempt != 1 {
				t.Errorf("got %q, %v, %+v; want the result, and that it is not stored", out, err, info)
			}
			if s.events.count(idem.EventStoreFailed) == 0 || s.events.count(idem.EventCompleteFailed) == 0 || s.events.count(idem.EventCompleted) != 0 {
				t.Errorf("observers heard %v", s.events.kinds())
			}
			for _, kind := range []idem.EventKind{idem.EventReleased, idem.EventAbandoned} {
				if n := s.events.count(kind); n != 0 {
					t.Errorf("%d times %s after a success", n, kind)
				}
			}
			heal()
			s.await(idem.EventCompleted, 1)
			if r := s.charged("k"); r.String() != "done" || string(r.Result) != `"charged"` {
				t.Errorf("in the end the row is %+v", r)
			}
			s.wantRuns(1)
		})
	}
}

// TestPB1: while the outcome is not stored the claim is kept, so a retry is told to wait, in this process and in others; and when it is, it
// gets the outcome.
func TestPB1_ARetryDoesNotRunWhatCouldNotBeStored(t *testing.T) {
	t.Parallel()
	for _, u := range unstorables {
		t.Run(u.name, func(t *testing.T) {
			t.Parallel()
			s, heal := u.broken(t)
			elsewhere := s.twin()
			elsewhere.worksOn(postgres.NewStore(pgtest.PoolOf(t, s.dsn)))
			if _, err := s.call(t.Context(), &charge, "k", "a"); err != nil {
				t.Fatal(err)
			}
			for _, p := range []*stage{s, elsewhere} {
				out, err := p.call(t.Context(), with(conflict), "k", "a")
				if !errors.Is(err, u.retry) || u.retry == nil && out != "charged" {
					t.Errorf("a retry meanwhile got %q, %v; want %v", out, err, u.retry)
				}
			}
			heal()
			for _, p := range []*stage{elsewhere, s} {
				ctx, info := idem.WithInfo(t.Context())
				out, err := p.call(ctx, &charge, "k", "a")
				if out != "charged" || err != nil || !info.Replayed || !info.Stored {
					t.Errorf("a retry afterwards got %q, %v, %+v", out, err, info)
				}
			}
			s.wantRuns(1)
		})
	}
}

// TestPB4: a run is ended on a context of its own, with an end of its own: a client who hung up does not prevent it, and a database that
// hangs does not keep the caller, whether he is there or not.
func TestPB4_AHungDatabaseDoesNotHangTheCaller(t *testing.T) {
	t.Parallel()
	declined := errors.New("declined")
	for _, c := range []struct {
		statement string
		err       error
		row       string // when the database goes on
	}{
		{"Complete", nil, "done"},
		{"Release", idem.NoEffect(declined), "absent"},
		{"Abandon", idem.Unknown(declined), "running lapsed abandoned"},
	} {
		for _, gone := range []bool{false, true} {
			t.Run(c.statement+map[bool]string{false: "/the client is there", true: "/the client hung up"}[gone], func(t *testing.T) {
				t.Parallel()
				s, gate := newStage(t), idemtest.NewGate(t)
				cut := s.behindCut(idem.WithStoreTimeout(1500 * time.Millisecond))
				hang := cut.Inject("-- name: "+c.statement+" ", idemtest.Fault{Do: idemtest.Delay, Gate: gate, Times: idemtest.Always})
				ctx, hangUp := context.WithCancel(t.Context())
				defer hangUp()
				s.method = func(context.Context, int64) (string, error) {
					if gone {
						hangUp()
					}
					return "charged", c.err
				}
				select {
				case a := <-s.async(ctx, &charge, "k", "a"):
					if a.err != c.err || (a.err == nil) != (a.result == "charged") { //nolint:errorlint // unchanged
						t.Errorf("the caller got %v", a)
					}
				case <-time.After(15 * time.Second):
					t.Error("the caller was kept")
				}
				if got := s.charged("k").String(); got != "running" || hang.Hits() == 0 {
					t.Errorf("while the database hangs, after %d attempts, the row is %q", hang.Hits(), got)
				}
				hang.Stop()
				gate.Open()
				s.wantRow("k", c.row)
				s.wantRuns(1)
			})
		}
	}
}
