package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is about time limits that somebody has set in the database: they end a step that a lock holds up. Before the method that is
// an answer without a run; after it, a reason to send the outcome again, and never one to let somebody else run.

// timeouts are the settings that end a statement which waits for a lock, and what the error says then.
var timeouts = []struct{ setting, state string }{
	{"statement_timeout", "57014"},
	{"lock_timeout", "55P03"},
}

// TestTimeout_AClaimThatIsCutOffDoesNotRun is about the limit on statements: claims set their own on locks, and what that means is
// in locks_test.go.
func TestTimeout_AClaimThatIsCutOffDoesNotRun(t *testing.T) {
	t.Parallel()
	s, _ := apart(t, pgtest.Database(t), setting("statement_timeout", "150ms"), idem.WithStoreTimeout(3*time.Second))
	release := s.holdTable()
	_, err := s.call(t.Context(), &charge, "k", "a")
	if e := wantErr(t, err, idem.ErrStore); !strings.Contains(e.Reason, "57014") || e.RetryAfter <= 0 {
		t.Errorf("the error says too little: %+v", e)
	}
	s.wantRuns(0)
	release()
	s.wantAnswer(s.insist(&charge, "k", "a"), "ran 1", nil)
	s.wantRow("k", "done")
}

// TestTimeout_ATakeOverThatIsCutOffIsSentAgain has a lapsed row in a table that somebody holds until the first try has failed.
func TestTimeout_ATakeOverThatIsCutOffIsSentAgain(t *testing.T) {
	t.Parallel()
	s, _ := apart(t, pgtest.Database(t), setting("statement_timeout", "150ms"))
	gate := s.gated()
	dead := s.async(t.Context(), &charge, "k", "a")
	gate.Await(t, 1)
	s.age("k", time.Minute)
	release := s.holdTable()
	next := s.beside()
	second := next.async(t.Context(), &charge, "k", "a")
	s.await(idem.EventStoreFailed, 1)
	next.wantRuns(0)
	release()
	if a := next.orInsist(<-second, "k"); a != (answer{"ran 1", nil}) {
		t.Errorf("got %v", a)
	}
	next.wantRuns(1)
	gate.Open()
	s.wantAnswer(<-dead, "ran 1", nil)
}

// TestTimeout_AnOutcomeThatIsCutOffIsSentAgain holds the row until the outcome has failed twice: within the call's patience, and beyond it.
func TestTimeout_AnOutcomeThatIsCutOffIsSentAgain(t *testing.T) {
	t.Parallel()
	for _, limit := range timeouts {
		for name, patience := range map[string]time.Duration{"in the call": enough, "in the background": 1500 * time.Millisecond} {
			t.Run(fmt.Sprintf("%s/%s", limit.setting, name), func(t *testing.T) {
				t.Parallel()
				s, _ := apart(t, pgtest.Database(t), setting(limit.setting, "150ms"), idem.WithStoreTimeout(patience))
				call := s.outcomeHeld("k")
				inCall := patience == enough
				s.await(idem.EventStoreFailed, 2)
				if inCall {
					s.stillClaimed("k")
					call.release()
				}
				s.wantAnswer(<-call.answer, "charged", nil)
				if call.info.Stored != inCall {
					t.Errorf("the call says %+v", call.info)
				}
				if !inCall {
					s.stillClaimed("k")
					call.release()
				}
				s.await(idem.EventCompleted, 1)
				s.wantAnswer(s.insist(&charge, "k", "a"), "charged", nil)
				s.wantRuns(1)
			})
		}
	}
}

// heldCall is a call whose outcome a lock keeps from being stored.
type heldCall struct {
	answer  <-chan answer
	info    *idem.Info
	release func()
}

func (s *stage) outcomeHeld(key string) heldCall {
	gate := s.gated()
	ctx, info := idem.WithInfo(s.Context())
	c := heldCall{answer: s.async(ctx, &charge, key, "a"), info: info}
	gate.Await(s, 1)
	c.release = s.holdRow(key)
	gate.Open()
	return c
}

// stillClaimed fails the test unless the key is claimed as by a run that is alive, and nobody else is let in.
func (s *stage) stillClaimed(key string) {
	s.Helper()
	s.wantRowNow(key, "running")
	out, err := s.call(s.Context(), with(conflict), key, "a")
	if e := wantErr(s, err, idem.ErrInFlight); e.Attempt != 1 {
		s.Errorf("got %q, %+v", out, e)
	}
}

// TestTimeout_TheEngineHoldsNoTransactionWhileTheMethodRuns waits until the database has ended somebody's transaction for being idle
// that began when the method did; the pool's only connection is still the one it was.
func TestTimeout_TheEngineHoldsNoTransactionWhileTheMethodRuns(t *testing.T) {
	t.Parallel()
	s, pool := apart(t, pgtest.Database(t), func(c *pgxpool.Config) {
		c.MaxConns = 1
		setting("idle_in_transaction_session_timeout", "150ms")(c)
	})
	gate := s.gated()
	call := s.async(t.Context(), &charge, "k", "a")
	gate.Await(t, 1)
	opened := pool.Stat().NewConnsCount()
	idler, err := pgx.ConnectConfig(t.Context(), pool.Config().ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	defer idler.Close(context.Background())
	if _, err := idler.Exec(t.Context(), "BEGIN"); err != nil {
		t.Fatal(err)
	}
	s.eventually("an idle transaction ended", func() (gone bool) {
		err := s.pool.QueryRow(t.Context(), "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)", idler.PgConn().PID()).Scan(&gone)
		return err == nil && gone
	})
	gate.Open()
	s.wantAnswer(<-call, "charged", nil)
	if n := pool.Stat().NewConnsCount(); n != opened || s.events.count(idem.EventStoreFailed) != 0 {
		t.Errorf("%d connections were opened anew; events: %v", n-opened, s.events.kinds())
	}
	s.wantRuns(1)
}

// TestTimeout_SessionsThatEndForBeingIdleCostNoCall waits until the database has ended the engine's sessions, between calls and during one.
func TestTimeout_SessionsThatEndForBeingIdleCostNoCall(t *testing.T) {
	t.Parallel()
	s, _ := apart(t, pgtest.Database(t), setting("idle_session_timeout", "150ms"))
	left := func() { s.eventually("the sessions ended", func() bool { return s.sessions() == 1 }) }
	s.wantAnswer(s.insist(&charge, "first", "a"), "ran 1", nil)
	left()
	gate := s.gated()
	call := s.async(t.Context(), &charge, "k", "a")
	gate.Await(t, 1)
	left()
	gate.Open()
	s.wantAnswer(<-call, "charged", nil)
	left()
	out, err := s.call(t.Context(), &charge, "k", "a")
	s.wantAnswer(answer{out, err}, "charged", nil)
	s.wantRuns(2)
}
