package scenarios

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is what late writers are played with: several calls of one key, each in a process of its own, each held in its
// method until the test says how it ends; and the row as Postgres has it, down to the transactions that touched it.

// lateCharge is charge with a lease that no test outlives: it ends when the test moves the row's times, and is never renewed meanwhile.
var lateCharge = idem.Operation[string]{Name: charge.Name, Lease: time.Hour, MaxWait: time.Minute}

// late is lateCharge with changes.
func late(changes ...func(*idem.Operation[string])) *idem.Operation[string] {
	op := lateCharge
	for _, change := range changes {
		change(&op)
	}
	return &op
}

// pastLease is longer than lateCharge's lease, pastKeep longer than an outcome, or a lapsed claim, is kept.
const (
	pastLease = 2 * time.Hour
	pastKeep  = 48 * time.Hour
)

// afresh is the stage for one of several plays, one after the other: a database of its own for each would take longer than they do. It
// has no engine; when the play is over and its processes are shut down, the table is emptied.
func (s *stage) afresh(t testing.TB) *stage {
	t.Helper()
	t.Cleanup(func() {
		if _, err := s.pool.Exec(context.Background(), "TRUNCATE idem_claims"); err != nil {
			t.Errorf("emptying the table: %v", err)
		}
	})
	return &stage{TB: t, dsn: s.dsn, pool: s.pool, events: &events{}}
}

// anotherProcess is another process on the same database: an engine, events and runs of its own. It is patient with the
// database, so that a slow machine adds no events.
func (s *stage) anotherProcess() *stage {
	s.Helper()
	p := &stage{TB: s.TB, dsn: s.dsn, pool: s.pool, events: &events{}}
	p.engine = newEngine(s.TB, postgres.NewStore(s.pool), idem.WithObserver(p.events), idem.WithStoreTimeout(90*time.Second))
	return p
}

// lateRun is a call of k in a process of its own, whose method has begun and waits to be told how to end.
type lateRun struct {
	*stage
	owner  idem.Owner
	info   *idem.Info
	cancel context.CancelFunc // ends the caller's context
	end    chan answer
	answer <-chan answer
}

// beginLate starts a call and returns when its method runs.
func (s *stage) beginLate(op *idem.Operation[string], arg string) *lateRun {
	s.Helper()
	r := &lateRun{stage: s.anotherProcess(), end: make(chan answer, 1)}
	s.Cleanup(func() { close(r.end) }) // a failed test does not hang
	started := make(chan struct{})
	r.method = func(context.Context, int64) (string, error) {
		close(started)
		a := <-r.end
		return a.result, a.err
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	ctx, r.info = idem.WithInfo(ctx)
	r.answer = r.async(ctx, op, "k", arg)
	select {
	case <-started:
	case a := <-r.answer:
		s.Fatalf("the method was not run: %v", a)
	case <-time.After(time.Minute):
		s.Fatalf("the method was not run; events: %v", r.events.kinds())
	}
	r.owner = s.ownerOf("k")
	return r
}

// returns lets the method return; the call goes on.
func (r *lateRun) returns(result string, err error) { r.end <- answer{result, err} }

// ends lets the method return, and is the call's answer.
func (r *lateRun) ends(result string, err error) answer {
	r.Helper()
	r.returns(result, err)
	return r.got()
}

// got is the call's answer.
func (r *lateRun) got() answer {
	r.Helper()
	select {
	case a := <-r.answer:
		return a
	case <-time.After(time.Minute):
		r.Fatalf("the call did not return; events: %v", r.events.kinds())
		return answer{}
	}
}

// fenced blocks until the run has found that the row is not its own.
func (r *lateRun) fenced() {
	r.Helper()
	r.await(idem.EventFenced, 1)
}

// wantEvents fails the test unless the process has heard exactly these.
func (s *stage) wantEvents(want ...idem.EventKind) {
	s.Helper()
	if got := s.events.kinds(); !slices.Equal(got, want) {
		s.Errorf("the observer heard %q, want %q", got, want)
	}
}

// ownerOf is who has the row of charge's key.
func (s *stage) ownerOf(key string) (owner idem.Owner) {
	s.Helper()
	id := idem.RowID(idem.Ref{Operation: charge.Name, Key: key})
	var b [16]byte
	if err := s.pool.QueryRow(context.Background(), "SELECT owner FROM idem_claims WHERE id = $1", [16]byte(id)).Scan(&b); err != nil {
		s.Fatal("who has the row: ", err)
	}
	return b
}

// versionOf is the row of charge's key as it is stored: all its columns, its place, and the transactions that wrote and that
// locked it. Nothing has touched a row whose version stayed; a row that is gone has none.
func (s *stage) versionOf(key string) (version string) {
	s.Helper()
	id := idem.RowID(idem.Ref{Operation: charge.Name, Key: key})
	err := s.pool.QueryRow(context.Background(),
		"SELECT concat_ws(' ', c.ctid, c.xmin, c.xmax, c) FROM idem_claims c WHERE id = $1", [16]byte(id)).Scan(&version)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		s.Fatal(err)
	}
	return version
}

// editRow changes the row of charge's key as an operator, or another program, might.
func (s *stage) editRow(key, set string) {
	s.Helper()
	id := idem.RowID(idem.Ref{Operation: charge.Name, Key: key})
	tag, err := s.pool.Exec(context.Background(), "UPDATE idem_claims SET "+set+" WHERE id = $1", [16]byte(id))
	if err != nil || tag.RowsAffected() != 1 {
		s.Fatalf("%d rows changed: %v", tag.RowsAffected(), err)
	}
}

// storedFailure is an error stored on purpose, which programs of other releases may write.
const storedFailure = `state = 3, error_code = 'declined', keep = NULL, abandoned = false, completed_at = clock_timestamp(),
	expires_at = clock_timestamp() + interval '1 day', codec = 'json', schema_hash = '', result = '"declined"'`

// renewAs sends a renewal of charge's key for an owner, as one that was long on its way would arrive.
func (s *stage) renewAs(key string, owner idem.Owner) idem.Renewal {
	s.Helper()
	store := postgres.NewStore(s.pool)
	defer store.Close()
	id := idem.RowID(idem.Ref{Operation: charge.Name, Key: key})
	answers, err := store.Renew(context.Background(), []idem.Lease{{ID: id, Owner: owner, Lease: time.Hour}})
	if err != nil {
		s.Fatal("renewing: ", err)
	}
	return answers[0]
}
