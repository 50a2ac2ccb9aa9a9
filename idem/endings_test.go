package idem_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// This file is every way for a run to end, under every policy, in a first attempt and in one that took over, with its caller and
// detached from him: each leaves one certain row. A panic of a detached method ends the process, so that is played in another one.

// rowText is what a row says of its run: state, attempt, and lapses where there are any.
func rowText(r idem.Row) string {
	text := []string{"absent", "running", "done", "failed", "unknown"}[r.State]
	if r.Lapsed {
		text += " lapsed"
	}
	if r.Abandoned {
		text += " abandoned"
	}
	if r.State == idem.StateAbsent {
		return text
	}
	text += fmt.Sprint(" ", r.Attempt)
	if r.Lapses > 0 {
		text += fmt.Sprint(" lapses ", r.Lapses)
	}
	return text
}

// rowsAfter is what the row says: of a first attempt under rerun, recover and hold; of a second one, which took over what had lapsed,
// under rerun and recover. (Under hold nobody takes over.)
type rowsAfter struct{ rerun, recover, hold, rerun2, recover2 string }

const (
	given1, given2   = "running lapsed abandoned 1", "running lapsed abandoned 2 lapses 1"
	lapsed1, lapsed2 = "running lapsed abandoned 1 lapses 1", "running lapsed abandoned 2 lapses 2"
)

var (
	doneAfter    = rowsAfter{"done 1", "done 1", "done 1", "done 2 lapses 1", "done 2 lapses 1"}
	releasedRow  = rowsAfter{"absent", "absent", "absent", "absent", "absent"}
	unclearAfter = rowsAfter{given1, given1, "unknown 1", given2, given2}
	plainAfter   = rowsAfter{"absent", given1, "unknown 1", given2, given2}
	brokeAfter   = rowsAfter{lapsed1, lapsed1, lapsed1, lapsed2, lapsed2}
)

// exit is one way to end: the method, which can end its caller's context, and the row after it.
type exit struct {
	name     string
	method   func(end func()) (string, error)
	rows     rowsAfter
	detached rowsAfter // where it differs: the caller's end is not the method's
	panics   string    // what the process dies of
}

func exits() []exit {
	plain := errors.New("declined")
	fails := func(err error) func(func()) (string, error) {
		return func(func()) (string, error) { return "", err }
	}
	after := func(err error) func(func()) (string, error) {
		return func(end func()) (string, error) { end(); return "ended", err }
	}
	leaves := func(way func()) func(func()) (string, error) {
		return func(func()) (string, error) { way(); return "not reached", nil }
	}
	var none map[string]int
	return []exit{
		{name: "result", method: fails(nil), rows: doneAfter},
		{name: "result after the caller's end", method: after(nil), rows: doneAfter},
		{name: "plain error", method: fails(plain), rows: plainAfter},
		{name: "plain error after the caller's end", method: after(plain), rows: unclearAfter, detached: plainAfter},
		{name: "NoEffect", method: fails(idem.NoEffect(io.EOF)), rows: releasedRow},
		{name: "NoEffect after the caller's end", method: after(idem.NoEffect(io.EOF)), rows: releasedRow},
		{name: "Unknown", method: fails(idem.Unknown(plain)), rows: unclearAfter},
		{name: "a context's error", method: fails(context.Canceled), rows: unclearAfter},
		{name: "Goexit", method: leaves(runtime.Goexit), rows: brokeAfter},
		{name: "panic", method: leaves(func() { panic("on fire") }), rows: brokeAfter, panics: "panic: on fire"},
		{name: "panic after the caller's end", method: func(end func()) (string, error) { end(); panic("on fire") }, rows: brokeAfter, panics: "panic: on fire"},
		{name: "panic(nil)", method: leaves(func() { panic(nil) }), rows: brokeAfter, panics: "panic called with nil"}, //nolint:govet // on purpose
		{name: "error of the runtime", method: leaves(func() { none["x"] = 1 }), rows: brokeAfter, panics: "assignment to entry in nil map"},
	}
}

// ending is an exit as it is played.
type ending struct {
	exit
	takeover idem.Takeover
	attempt  int
	detach   bool
}

func endings() (all []ending) {
	for _, x := range exits() {
		for _, takeover := range []idem.Takeover{idem.TakeoverRerun, idem.TakeoverRecover, idem.TakeoverHold} {
			for attempt := 1; attempt <= 2; attempt++ {
				for _, detach := range []bool{false, true} {
					if takeover != idem.TakeoverHold || attempt == 1 {
						all = append(all, ending{x, takeover, attempt, detach})
					}
				}
			}
		}
	}
	return all
}

func (e ending) String() string {
	text := fmt.Sprintf("%s/%s/%d", e.name, [...]string{"rerun", "recover", "hold"}[e.takeover], e.attempt)
	if e.detach {
		text += "/detached"
	}
	return text
}

func (e ending) want() string {
	rows := e.rows
	if e.detach && e.detached != (rowsAfter{}) {
		rows = e.detached
	}
	switch {
	case e.takeover == idem.TakeoverHold:
		return rows.hold
	case e.attempt == 1 && e.takeover == idem.TakeoverRerun:
		return rows.rerun
	case e.attempt == 1:
		return rows.recover
	case e.takeover == idem.TakeoverRerun:
		return rows.rerun2
	default:
		return rows.recover2
	}
}

// run plays the ending, on a row that a dead process left where it is a second attempt.
func (e ending) run(ctx context.Context, p *play) (out string, err error) {
	op := pay
	op.Takeover, op.Detach = e.takeover, e.detach
	call := func(ctx context.Context, method func(context.Context) (string, error)) (string, error) {
		c := idem.Call[string]{Key: idem.StringKey("k"), Run: method}
		if e.takeover == idem.TakeoverRecover {
			c.Recover = func(context.Context) (string, bool, error) { return "", false, nil }
		}
		return idem.Do(ctx, p.engine, &op, c)
	}
	if e.attempt == 2 {
		_, _ = call(ctx, func(context.Context) (string, error) { return "", nil })
		p.store.Edit(payRow, func(r *idem.Row) { r.State = idem.StateRunning })
		p.store.Age(payRow, 2*pay.Lease)
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	return call(ctx, func(context.Context) (string, error) { return e.method(end) })
}

func TestEndings_EachLeavesOneCertainRow(t *testing.T) {
	t.Parallel()
	for _, e := range endings() {
		if e.panics != "" && e.detach {
			continue // see below
		}
		t.Run(e.String(), func(t *testing.T) {
			t.Parallel()
			p := newPlay(t)
			left := "by exit"
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer func() {
					if v := recover(); v != nil {
						left = "by panic: " + fmt.Sprint(v)
					}
				}()
				_, _ = e.run(context.Background(), p)
				left = "by return"
			}()
			<-done
			want := map[bool]string{true: "by panic: ", false: "by return"}[e.panics != ""]
			if e.name == "Goexit" {
				want = "by exit"
			}
			if !strings.HasPrefix(left, want) {
				t.Errorf("its caller was left %s", left)
			}
			if err := p.engine.Shutdown(t.Context()); err != nil { // which waits for what is detached
				t.Error(err)
			}
			if got := rowText(p.store.Row(payRow)); got != e.want() {
				t.Errorf("it left %q, want %q", got, e.want())
			}
		})
	}
}

// dying is the variable that makes this program one that dies of an ending.
const dying = "IDEM_TEST_DYING_OF"

func TestMain(m *testing.M) {
	for _, e := range endings() {
		if e.String() == os.Getenv(dying) {
			e.die()
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// die plays the ending in this process, and prints what it left when that is observed.
func (e ending) die() {
	p, stopped := &play{store: idemtest.NewStore()}, make(chan struct{})
	engine, err := idem.New(told{p.store}, idem.WithObserver(idem.ObserverFunc(func(_ context.Context, ev idem.Event) {
		if ev.Kind == idem.EventAbandoned {
			fmt.Printf("left %s, because %v\n", rowText(p.store.Row(payRow)), ev.Err)
			if e.gone() {
				<-stopped
			}
		}
	})))
	if err != nil {
		fmt.Println(err)
		return
	}
	p.engine = engine
	_, err = e.run(context.Background(), p)
	fmt.Println("the caller got", err)
	ended, end := context.WithCancel(context.Background())
	end()
	_ = engine.Shutdown(ended) // what is counted out from now on closes the store
	close(stopped)
	fmt.Println("shut down:", engine.Shutdown(context.Background()))
}

// gone reports whether the caller leaves before the method ends.
func (e ending) gone() bool { return strings.Contains(e.name, "the caller's end") }

// told is a store that says when it is closed.
type told struct{ *idemtest.Store }

func (told) Close() error {
	fmt.Println("shut down while a panic was on its way")
	return nil
}

// TestEndings_APanicOfADetachedMethodEndsTheProcessAsItWouldHave: with its own stack, and after the claim was given up.
func TestEndings_APanicOfADetachedMethodEndsTheProcessAsItWouldHave(t *testing.T) {
	t.Parallel()
	for _, e := range endings() {
		if e.panics == "" || !e.detach {
			continue
		}
		t.Run(e.String(), func(t *testing.T) {
			t.Parallel()
			said, err := dies(t, e.String())
			if err == nil || err.ExitCode() != 2 {
				t.Errorf("it ended with %v", err)
			}
			for _, want := range []string{"left " + e.want() + ", because the method panicked\n", e.panics, "idem_test.exits.func", "idem.(*value"} {
				if !strings.Contains(said, want) {
					t.Errorf("it did not say %q", want)
				}
			}
			gone := strings.Contains(said, "the caller got")
			if gone != e.gone() || strings.Contains(said, "shut down") || t.Failed() {
				t.Errorf("it said:\n%s", said)
			}
		})
	}
}

// dies runs this program as one that dies of something.
func dies(t *testing.T, of string) (said string, err *exec.ExitError) {
	t.Helper()
	program, problem := os.Executable()
	if problem != nil {
		t.Fatal(problem)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), dying+"="+of)
	out, problem := cmd.CombinedOutput()
	_ = errors.As(problem, &err)
	return string(out), err
}
