package scenarios

import (
	"context"
	"errors"
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
