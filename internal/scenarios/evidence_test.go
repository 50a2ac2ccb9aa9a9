package scenarios

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is what a sweep must leave: rows that are all that is known of an effect that may have happened, and rows that
// somebody is getting or settling at that moment.

func TestI9_ASweepNeverRemovesEvidence(t *testing.T) {
	t.Parallel()
	world := newStage(t)
	for _, st := range binding() {
		t.Run(st.name, func(t *testing.T) {
			s := world.afresh(t)
			s.reached(st)
			before := s.versionOf("k")
			if n := s.swept(); n != 0 {
				t.Errorf("%d rows were swept", n)
			}
			if after := s.versionOf("k"); after != before {
				t.Errorf("the row was\n%s and is\n%s", before, after)
			}
		})
	}
	for _, st := range free() { // else the sweeps above show nothing
		t.Run("expired: "+st.name, func(t *testing.T) {
			s := world.afresh(t)
			s.reached(st)
			if n := s.swept(); n != 1 || s.versionOf("k") != "" {
				t.Errorf("%d rows were swept", n)
			}
		})
	}
}

// witness notes every row that is deleted, and whether its time was over by the database's clock at that moment. It takes its time, so
// that there is some between a sweep's choice of rows and the last one's deletion.
const witness = `
CREATE TABLE deleted (in_time boolean NOT NULL);
CREATE FUNCTION note_deleted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO deleted SELECT coalesce(CASE WHEN OLD.state = 1 THEN OLD.lease_until + OLD.keep ELSE OLD.expires_at END <= clock_timestamp(), false);
	PERFORM pg_sleep(0.001);
	RETURN OLD;
END $$;
CREATE TRIGGER note_deleted BEFORE DELETE ON idem_claims FOR EACH ROW EXECUTE FUNCTION note_deleted()`

// expire makes everything in the table expire.
const expire = `UPDATE idem_claims SET claimed_at = claimed_at - d, lease_until = lease_until - d, completed_at = completed_at - d, expires_at = expires_at - d
	FROM (SELECT interval '2 days' AS d) AS age WHERE state = 2`

// TestI9_SweepersLeaveWhatIsRetaken has two sweepers without grace race with callers for rows that expire again and again. The callers
// reclaim and complete them, and a sweeper that decided before must not delete what is theirs by then.
func TestI9_SweepersLeaveWhatIsRetaken(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.exec(witness)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var others sync.WaitGroup
	defer others.Wait()
	forGood := func(step func() error) {
		others.Go(func() {
			for ctx.Err() == nil {
				if err := step(); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	for range 2 {
		e, seen := s.sweeper(), 0
		forGood(func() error { // in the midst of rows that are retaken
			retaken := s.events.count(idem.EventReclaimed)
			if retaken == seen {
				time.Sleep(time.Millisecond)
				return nil
			}
			seen = retaken
			_, err := e.Sweep(ctx)
			return err
		})
	}
	forGood(func() error { _, err := s.pool.Exec(ctx, expire); return err })
	const callers, calls, keys = 6, 100, 40
	idemtest.Callers(t, callers, func(i int) {
		for n := range calls {
			if _, err := s.call(t.Context(), &charge, fmt.Sprint("k", n*(i+1)%keys), "x"); err != nil {
				t.Errorf("call %d of caller %d: %v", n, i, err)
			}
		}
	})
	stop()
	others.Wait()
	var deleted, early int
	err := s.pool.QueryRow(t.Context(), "SELECT count(*), count(*) FILTER (WHERE NOT in_time) FROM deleted").Scan(&deleted, &early)
	if err != nil || early != 0 {
		t.Errorf("%d rows were deleted before their time: %v", early, err)
	}
	retaken := s.events.count(idem.EventReclaimed)
	t.Logf("%d calls, %d runs, %d rows reclaimed, %d deleted", callers*calls, s.runs.Load(), retaken, deleted)
	if retaken == 0 || deleted == 0 {
		t.Error("nothing was raced for: nothing is shown")
	}
}
