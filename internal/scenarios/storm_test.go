package scenarios

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is everything at once: processes whose statements and answers get lost or land late, runs that end in every way,
// and leases that end under living owners; many callers ask for one key until they get its outcome, and then for the next. What must hold
// through it is in agreement_test.go.

const (
	stormProcesses = 3
	stormCallers   = 3 // of each process
	stormKeys      = 20
)

// storm is what was called, run and answered.
type storm struct {
	*stage    // looks on, undisturbed
	processes []*stage
	cuts      []*idemtest.Cut
	faults    map[idemtest.Action][]*idemtest.Injection

	mu      sync.Mutex
	rand    *rand.Rand
	tick    chan struct{} // closed, and replaced, when leases were ended
	fences  map[string][]int64
	answers map[string][]given
	refused map[error]int
}

// given is what a caller got without an error.
type given struct {
	result string
	info   idem.Info
}

// stormed is the operation of a storm: no number of lapses ends it.
var stormed = idem.Operation[string]{Name: charge.Name, Lease: time.Minute, MaxWait: time.Minute, MaxAttempts: 1 << 20}

// records are a trigger's notes of every row that came, changed or went.
const records = `
CREATE TABLE records (n bigserial, key text, op text, fence bigint, attempt int, state int);
CREATE FUNCTION record() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF TG_OP = 'DELETE' THEN INSERT INTO records (key, op, fence, attempt, state) VALUES (OLD.key, TG_OP, OLD.fence, OLD.attempt, OLD.state); RETURN NULL; END IF;
	INSERT INTO records (key, op, fence, attempt, state) VALUES (NEW.key,
		CASE WHEN TG_OP = 'UPDATE' AND (OLD.state IN (2, 3) OR OLD.keep = interval '0') AND OLD.owner <> NEW.owner THEN 'RECLAIM' ELSE TG_OP END, NEW.fence, NEW.attempt, NEW.state); RETURN NULL;
END $$;
CREATE TRIGGER record AFTER INSERT OR UPDATE OR DELETE ON idem_claims FOR EACH ROW EXECUTE FUNCTION record()`

func newStorm(t *testing.T) *storm {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	s := &storm{
		stage: newStage(t), rand: rand.New(rand.NewPCG(seed, 0)), tick: make(chan struct{}),
		faults: map[idemtest.Action][]*idemtest.Injection{},
		fences: map[string][]int64{}, answers: map[string][]given{}, refused: map[error]int{},
	}
	s.exec(records)
	for range stormProcesses {
		s.addProcess()
	}
	return s
}

// addProcess adds a process that reaches the database through a proxy, on which things will go wrong.
func (s *storm) addProcess() {
	s.Helper()
	pool, cut := throughCut(s, s.dsn)
	p := s.process(pool, idem.WithStoreTimeout(time.Minute))
	s.processes, s.cuts = append(s.processes, p), append(s.cuts, cut)
	for _, step := range []string{"INSERT INTO idem_claims", "attempt = attempt + 1", "SET state = $1", "DELETE FROM idem_claims", "SET owner = $1, lease_until"} {
		for _, do := range []idemtest.Action{idemtest.LoseAnswer, idemtest.Refuse, idemtest.ApplyLate} {
			for range 2 {
				s.faults[do] = append(s.faults[do], cut.Inject(step, idemtest.Fault{Do: do, Skip: s.rand.IntN(8)}))
			}
		}
	}
}

// rages lets the callers of all processes ask for one key after the other, and lands what is late in the end.
func (s *storm) rages(ctx context.Context) {
	s.Helper()
	ctx, stop := context.WithCancel(ctx)
	var ending sync.WaitGroup
	ending.Go(func() { s.endLeases(ctx) })
	for n := range stormKeys {
		key := fmt.Sprint("key ", n)
		idemtest.Callers(s, stormProcesses*stormCallers, func(i int) { s.insist(ctx, s.processes[i%stormProcesses], key) })
	}
	stop()
	ending.Wait()
	for _, late := range s.faults[idemtest.ApplyLate] {
		late.Land()
	}
}

// endLeases ends the leases of about half of the running rows, again and again.
func (s *storm) endLeases(ctx context.Context) {
	for ctx.Err() == nil {
		_, err := s.pool.Exec(ctx, "UPDATE idem_claims SET lease_until = clock_timestamp() WHERE state = 1 AND random() < 0.5")
		if err != nil && ctx.Err() == nil {
			s.Errorf("ending leases: %v", err)
		}
		s.mu.Lock()
		close(s.tick)
		s.tick = make(chan struct{})
		s.mu.Unlock()
	}
}

// insist calls until there is an outcome.
func (s *storm) insist(ctx context.Context, p *stage, key string) {
	for range 200 {
		ctx, info := idem.WithInfo(ctx)
		out, err := s.callOnce(ctx, p, key)
		s.mu.Lock()
		switch {
		case err == nil:
			s.answers[key] = append(s.answers[key], given{out, *info})
		default:
			s.refused[kindOf(err)]++
		}
		s.mu.Unlock()
		if err == nil {
			return
		}
	}
	s.Errorf("%s: no outcome after many calls", key)
}

var errPanicked = errors.New("the method panicked")

func (s *storm) callOnce(ctx context.Context, p *stage, key string) (out string, err error) {
	defer func() {
		if recover() != nil {
			err = errPanicked
		}
	}()
	request := p.request(key, "x")
	request.Run = func(ctx context.Context) (string, error) { return s.run(ctx, key) }
	return idem.Do(ctx, p.engine, &stormed, request)
}

// run is the method: it ends in every way, at once or when leases were ended.
func (s *storm) run(ctx context.Context, key string) (string, error) {
	claim, _ := idem.FromContext(ctx)
	s.mu.Lock()
	s.fences[key] = append(s.fences[key], claim.Fence)
	ticks, ends := s.rand.IntN(3), s.rand.IntN(10)
	s.mu.Unlock()
	for range ticks {
		<-s.nextTick()
	}
	switch {
	case ends < 2:
		return "", idem.NoEffect(errPlain)
	case ends < 4:
		return "", idem.Unknown(errPlain)
	case ends < 5:
		panic("on fire")
	default:
		return fmt.Sprintf("%s, by %d", key, claim.Fence), nil
	}
}

// nextTick is closed when leases are ended the next time.
func (s *storm) nextTick() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tick
}

// kindOf is what a caller was refused by.
func kindOf(err error) error {
	for _, kind := range []error{
		errPlain, errPanicked, idem.ErrLeaseLost, idem.ErrInFlight, idem.ErrStore, idem.ErrMismatch, idem.ErrOutcomeUnknown,
		idem.ErrResultNotStored, idem.ErrUnreadable,
	} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return err
}

// heard is how many events of a kind all processes have heard together.
func (s *storm) heard(kind idem.EventKind) (n int) {
	for _, p := range s.processes {
		n += p.events.count(kind)
	}
	return n
}
