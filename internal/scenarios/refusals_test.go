package scenarios

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is about refusals that say nothing of what was refused, and pass.

// TestDisk_AMomentWithoutSpaceDoesNotCostTheResult: the database refuses one outcome for want of space, and would take the next one. The
// result is not what was wrong with it.
func TestDisk_AMomentWithoutSpaceDoesNotCostTheResult(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.exec(`CREATE SEQUENCE refusals`)
	s.exec(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF nextval('refusals') = 1 THEN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END IF;
		RETURN NEW; END $$`)
	s.exec(`CREATE TRIGGER full_disk BEFORE UPDATE ON idem_claims FOR EACH ROW WHEN (NEW.state = 2) EXECUTE FUNCTION full_disk()`)
	s.method = func(context.Context, int64) (string, error) { return "charged", nil }
	if out, err := s.call(t.Context(), &charge, "k", "a"); out != "charged" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	if s.events.count(idem.EventStoreFailed) == 0 {
		t.Error("nothing was refused")
	}
	out, err := s.call(t.Context(), &charge, "k", "a")
	if out != "charged" || err != nil {
		t.Errorf("a later call got %q, %v; want the result", out, err)
	}
	s.wantRuns(1)
}

// TestLocked_AShortStoreTimeoutDoesNotMakeALockAFailure: a step has a third of the store timeout, and a lock is waited for no longer than that.
func TestLocked_AShortStoreTimeoutDoesNotMakeALockAFailure(t *testing.T) {
	t.Parallel()
	s := newStage(t, idem.WithStoreTimeout(500*time.Millisecond))
	if _, err := s.call(t.Context(), &charge, "warm up", "a"); err != nil {
		t.Fatal(err)
	}
	defer s.holdEntry("k")()
	_, err := s.call(t.Context(), with(conflict), "k", "a")
	if !errors.Is(err, idem.ErrInFlight) || s.events.count(idem.EventStoreFailed) != 0 {
		t.Errorf("got %v; %v", err, s.events.kinds())
	}
	s.wantRuns(1)
}

// TestDurability_AWarningIsNotWorthACall: the role may do what docs/operations.md says it needs, and not look into the catalog.
func TestDurability_AWarningIsNotWorthACall(t *testing.T) {
	t.Parallel()
	s, alter := lockoutStage(t)
	alter("REVOKE SELECT ON pg_catalog.pg_class FROM PUBLIC")
	if out, err := s.call(t.Context(), &charge, "k", "a"); out != "ran 1" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

// TestDisk_AFullDiskRunsNothingAndKeepsWhatHasHappened: without space for a claim there is no run; without space for a result there is one for the
// word that it succeeded; and without space for anything the outcome is stored when there is some.
func TestDisk_AFullDiskRunsNothingAndKeepsWhatHasHappened(t *testing.T) {
	t.Parallel()
	full := func(t *testing.T, when string) (s *stage, free func()) {
		s = newStage(t, idem.WithStoreTimeout(1200*time.Millisecond))
		s.exec(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`)
		s.exec("CREATE TRIGGER full_disk BEFORE " + when + " EXECUTE FUNCTION full_disk()")
		s.method = func(context.Context, int64) (string, error) { return strings.Repeat("charged ", 1000), nil }
		return s, func() { s.exec("DROP TRIGGER full_disk ON idem_claims") }
	}
	t.Run("no space for a claim", func(t *testing.T) {
		t.Parallel()
		s, free := full(t, "INSERT ON idem_claims FOR EACH ROW")
		_, err := s.call(t.Context(), &charge, "k", "a")
		if e := wantErr(t, err, idem.ErrStore); !strings.Contains(e.Reason, "disk is full (SQLSTATE 53100)") || e.RetryAfter <= 0 {
			t.Errorf("the error says too little: %+v", e)
		}
		s.wantRuns(0)
		free()
		if a := s.insist(&charge, "k", "a"); a.err != nil {
			t.Error(a.err)
		}
		s.wantRuns(1)
	})
	t.Run("no space for a result", func(t *testing.T) {
		t.Parallel()
		s, _ := full(t, "UPDATE ON idem_claims FOR EACH ROW WHEN (octet_length(NEW.result) > 100)")
		ctx, info := idem.WithInfo(t.Context())
		if out, err := s.call(ctx, &charge, "k", "a"); len(out) != 8000 || err != nil || info.Stored {
			t.Errorf("got %.20q, %v, %+v", out, err, info)
		}
		_, err := s.call(t.Context(), &charge, "k", "a")
		wantErr(t, err, idem.ErrResultNotStored)
		s.wantRuns(1)
	})
	t.Run("no space for anything", func(t *testing.T) {
		t.Parallel()
		s, free := full(t, "UPDATE ON idem_claims FOR EACH ROW WHEN (NEW.state = 2)")
		ctx, info := idem.WithInfo(t.Context())
		if out, err := s.call(ctx, &charge, "k", "a"); len(out) != 8000 || err != nil || info.Stored {
			t.Errorf("got %.20q, %v, %+v", out, err, info)
		}
		_, err := s.call(t.Context(), with(conflict), "k", "a")
		wantErr(t, err, idem.ErrInFlight)
		free()
		s.await(idem.EventCompleted, 1)
		if a := s.insist(&charge, "k", "a"); len(a.result) != 8000 || a.err != nil {
			t.Errorf("got %.20q, %v", a.result, a.err)
		}
		s.wantRuns(1)
	})
}
