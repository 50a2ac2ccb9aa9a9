package scenarios

import (
	"errors"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is about a table that is not what the program was made for: one that lacks something is found before the method runs, and one
// that has more will do. What happens when it is found after the method has run is in lockouts_test.go.

// TestSchema_ATableThatDoesNotFitIsFoundBeforeTheMethodRuns calls with the damage done, and again with it mended.
func TestSchema_ATableThatDoesNotFitIsFoundBeforeTheMethodRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, damage, mend, problem string }{
		{"no table", "ALTER TABLE idem_claims RENAME TO moved", "ALTER TABLE moved RENAME TO idem_claims", "missing"},
		{"no sequence", "ALTER SEQUENCE idem_fence_seq RENAME TO moved", "ALTER SEQUENCE moved RENAME TO idem_fence_seq", "missing"},
		{"in another schema", "CREATE SCHEMA x; ALTER TABLE idem_claims SET SCHEMA x", "ALTER TABLE x.idem_claims SET SCHEMA public", "missing"},
		{"an older table", "ALTER TABLE idem_claims DROP COLUMN origin", "ALTER TABLE idem_claims ADD COLUMN origin text", "lacks a column"},
		{
			"no primary key", "ALTER TABLE idem_claims DROP CONSTRAINT idem_claims_pkey",
			"ALTER TABLE idem_claims ADD CONSTRAINT idem_claims_pkey PRIMARY KEY (id)", "primary key",
		},
		{
			"a key that is not unique", "ALTER TABLE idem_claims DROP CONSTRAINT idem_claims_pkey; CREATE INDEX idem_claims_pkey ON idem_claims (id)",
			"DROP INDEX idem_claims_pkey; ALTER TABLE idem_claims ADD CONSTRAINT idem_claims_pkey PRIMARY KEY (id)", "primary key",
		},
	} {
		for name, warm := range map[string]bool{"at the first call": false, "with statements prepared": true} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := newStage(t)
				if warm {
					s.wantAnswer(s.insist(&charge, "earlier", "a"), "ran 1", nil)
				}
				runs := s.runs.Load()
				s.exec(c.damage)
				_, err := s.call(t.Context(), &charge, "k", "a")
				wantErr(t, err, idem.ErrStore)
				if e, ok := errors.AsType[*postgres.SchemaError](err); !ok || !strings.Contains(e.Problem, c.problem) {
					t.Errorf("got %v", err)
				}
				s.wantRuns(runs)
				if n := s.events.count(idem.EventStoreFailed); n != 1 {
					t.Errorf("%d steps were sent", n)
				}
				s.exec(c.mend)
				if a := s.insist(&charge, "k", "a"); a.err != nil {
					t.Errorf("with the table mended: %v", a.err)
				}
				s.wantRuns(runs + 1)
			})
		}
	}
}

func TestSchema_ATableThatGrowsUnderAProgramServesIt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	gate := s.gated()
	call := s.async(t.Context(), &charge, "k", "a")
	gate.Await(t, 1)
	s.exec("ALTER TABLE idem_claims ADD COLUMN cell text, ADD COLUMN tier integer NOT NULL DEFAULT 1; CREATE INDEX ON idem_claims (tier)")
	gate.Open()
	s.wantAnswer(<-call, "charged", nil)
	s.wantAnswer(s.insist(&charge, "k", "a"), "charged", nil)
	s.wantAnswer(s.insist(&charge, "other", "a"), "charged", nil)
	s.wantRuns(2)
}

// TestSchema_ANewerTableIsServedOrRefusedBeforeTheMethodRuns is about what later releases may do to the table.
func TestSchema_ANewerTableIsServedOrRefusedBeforeTheMethodRuns(t *testing.T) {
	t.Parallel()
	t.Run("only its number is newer", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		s.exec("INSERT INTO idem_migrations (version) VALUES (99)")
		if err := postgres.Migrate(t.Context(), s.pool); err != nil {
			t.Error(err)
		}
		s.wantAnswer(s.insist(&charge, "k", "a"), "ran 1", nil)
		s.wantRuns(1)
	})
	t.Run("a column that has to be given", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		s.exec("ALTER TABLE idem_claims ADD COLUMN region text NOT NULL")
		_, err := s.call(t.Context(), &charge, "k", "a")
		if e := wantErr(t, err, idem.ErrStore); !strings.Contains(e.Reason, "newer than this program") || e.RetryAfter != 0 {
			t.Errorf("the error says too little: %+v", e)
		}
		s.wantRuns(0)
		s.exec("ALTER TABLE idem_claims ALTER COLUMN region SET DEFAULT 'here'")
		s.wantAnswer(s.insist(&charge, "k", "a"), "ran 1", nil)
	})
	t.Run("a state that is not known", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		s.wantAnswer(s.insist(&charge, "k", "a"), "ran 1", nil)
		for _, check := range strings.Fields(ask[string](s, `SELECT string_agg(quote_ident(conname), ' ') FROM pg_constraint
			WHERE conrelid = 'idem_claims'::regclass AND contype = 'c'`)) {
			s.exec("ALTER TABLE idem_claims DROP CONSTRAINT " + check)
		}
		s.exec("UPDATE idem_claims SET state = 9, codec = NULL, result = NULL, expires_at = NULL")
		_, err := s.call(t.Context(), &charge, "k", "a")
		wantErr(t, err, idem.ErrUnreadable)
		s.wantRuns(1)
	})
}
