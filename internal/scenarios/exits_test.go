package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
)

// This file is the list of all ways in which a call can end. Each leaves its row in one certain state (TestI7), and nothing
// else (TestI12).

// exit is one way to end.
type exit struct {
	name string
	// method is what runs; end ends the caller's context. nil returns a result.
	method  func(end func()) (string, error)
	encode  func() ([]byte, error) // the codec's; nil: as usual
	before  bool                   // the caller's context ends before the claim
	claimed bool                   // or when the claim is answered, and the method not started
	rows    rowsAfter
	lapses  int
	left    string // "": by returning
}

// rowsAfter is the row after an exit of a first attempt under rerun, under recover and under hold, and of a second attempt.
type rowsAfter struct{ first, recover, hold, second string }

const abandoned = "running lapsed abandoned"

var (
	completed  = rowsAfter{"done", "done", "done", "done"}
	released   = rowsAfter{"absent", "absent", "absent", "absent"}
	unclear    = rowsAfter{abandoned, abandoned, "unknown", abandoned}
	unsaid     = rowsAfter{"absent", abandoned, "unknown", abandoned} // an error that says nothing, and is none of those that prove nothing
	brokenOff  = rowsAfter{abandoned, abandoned, abandoned, abandoned}
	notStarted = rowsAfter{"absent", "absent", "absent", abandoned}
)

var errPlain = errors.New("declined")

func exits() []exit {
	fails := func(err error) func(func()) (string, error) {
		return func(func()) (string, error) { return "lost", err }
	}
	endsAnd := func(err error) func(func()) (string, error) {
		return func(end func()) (string, error) { end(); return "ended", err }
	}
	leaves := func(way func()) func(func()) (string, error) {
		return func(func()) (string, error) { way(); return "not reached", nil }
	}
	var none map[string]int
	return []exit{
		{name: "a result", rows: completed},
		{name: "a result after the caller's end", method: endsAnd(nil), rows: completed},
		{name: "a plain error", method: fails(errPlain), rows: unsaid},
		{name: "a plain error after the caller's end", method: endsAnd(errPlain), rows: unclear},
		{name: "NoEffect", method: fails(idem.NoEffect(io.EOF)), rows: released},
		{name: "NoEffect after the caller's end", method: endsAnd(idem.NoEffect(errPlain)), rows: released},
		{name: "Unknown", method: fails(idem.Unknown(errPlain)), rows: unclear},
		{name: "a context's error", method: fails(fmt.Errorf("call: %w", context.DeadlineExceeded)), rows: unclear},
		{name: "a socket's timeout", method: fails(&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}), rows: unclear},
		{name: "a lost connection", method: fails(io.ErrUnexpectedEOF), rows: unclear},
		{name: "an inner unknown outcome", method: fails(&idem.Error{Kind: idem.ErrOutcomeUnknown}), rows: unclear},
		{name: "a panic", method: leaves(func() { panic("on fire") }), rows: brokenOff, lapses: 1, left: "panic"},
		{name: "panic(nil)", method: leaves(func() { panic(nil) }), rows: brokenOff, lapses: 1, left: "panic"}, //nolint:govet // on purpose
		{name: "an error of the runtime", method: leaves(func() { none["x"] = 1 }), rows: brokenOff, lapses: 1, left: "panic"},
		{name: "a panic after the caller's end", method: func(end func()) (string, error) { end(); panic("on fire") }, rows: brokenOff, lapses: 1, left: "panic"},
		{name: "Goexit", method: leaves(runtime.Goexit), rows: brokenOff, lapses: 1, left: "exit"},
		{name: "FailNow", method: leaves(new(testing.T).FailNow), rows: brokenOff, lapses: 1, left: "exit"},
		{name: "a result that can't be encoded", encode: func() ([]byte, error) { return nil, errPlain }, rows: completed},
		{name: "a panic of the codec", encode: func() ([]byte, error) { panic("on fire") }, rows: completed},
		{name: "Goexit in the codec", encode: func() ([]byte, error) { runtime.Goexit(); return nil, nil }, rows: completed, left: "exit"},
		{name: "the caller's end before the claim", before: true, rows: notStarted},
		{name: "the caller's end between claim and run", claimed: true, rows: notStarted},
	}
}

// exiting is where exits are played: an engine on a pool of its own.
type exiting struct {
	*stage
	pool *pgxpool.Pool // the engine's
}

func newExiting(t *testing.T) *exiting {
	t.Helper()
	x := &exiting{stage: newStage(t)}
	x.pool = pgtest.PoolOf(t, x.dsn, func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["application_name"] = "exiting" })
	x.events = &events{}
	x.worksOn(&seamStore{Store: postgres.NewStore(x.pool), after: onceWon})
	return x
}

type wonKey struct{}

// onceWon calls what the caller's context holds as soon as a claim or take-over is won.
func onceWon(ctx context.Context, step idemtest.Step, r *idem.Row) {
	f, ok := ctx.Value(wonKey{}).(func())
	if ok && (step == idemtest.StepClaim || step == idemtest.StepTakeOver) && r.State == idem.StateRunning && !r.Lapsed {
		f()
	}
}

// exitCodec encodes as a test says.
type exitCodec struct{ encode func() ([]byte, error) }

func (exitCodec) Name() string { return "exit" }

func (c exitCodec) Encode(idem.Ref, string) ([]byte, error) {
	if c.encode == nil {
		return []byte("x"), nil
	}
	return c.encode()
}

func (exitCodec) Decode(_ idem.Ref, data []byte) (string, error) { return string(data), nil }

// play makes a call that ends by e, its caller's context ending as the error as; it says how the call was left, and whether the method ran.
func (x *exiting) play(e exit, op idem.Operation[string], key string, as error) (left string, ran bool, err error) {
	x.Helper()
	caller := endingAs(context.Background(), as)
	ctx, end := context.Context(caller), caller.end
	if e.before {
		end()
	}
	if e.claimed {
		ctx = context.WithValue(ctx, wonKey{}, end)
	}
	op.Codec = exitCodec{e.encode}
	request := x.request(key, "a")
	if op.Takeover == idem.TakeoverRecover {
		request.Recover = func(context.Context) (string, bool, error) { return "", false, nil }
	}
	request.Run = func(context.Context) (string, error) {
		ran = true
		if e.method == nil {
			return "x", nil
		}
		return e.method(end)
	}
	done := make(chan struct{})
	go func() {
		left = "exit"
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				left = "panic"
			}
		}()
		_, err = idem.Do(ctx, x.engine, &op, request)
		left = ""
	}()
	<-done
	return left, ran, err
}
