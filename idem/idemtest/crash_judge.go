package idemtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/idemgen/idemgen/idem"
)

// This file is what every caller of a world must get, by what the row says when he comes, and the table of what they got.

// moment is what there is when a caller comes.
type moment struct {
	row     idem.Row
	effects int
}

func (x *world) before() moment { return moment{x.store.Row(x.base.id), x.Effects()} }

// ours is the engine's own error of the operation that is walked, if err is one.
func (x *world) ours(err error) *idem.Error {
	var e *idem.Error
	if errors.As(err, &e) && e.Operation == x.base.operation {
		return e
	}
	return nil
}

// judge looks at the answer to a call that nothing happened to, by the row that it met: it has an outcome, or its lease has run out.
func (x *world) judge(c *caller, before moment, got answer) {
	x.Helper()
	want, wrong := x.verdict(before, got)
	if other := x.another(c, got); other != "" {
		wrong = other
	}
	if wrong == "" {
		wrong = x.consistent(c, got)
	}
	x.row(c.name, want, x.say(got), wrong == "")
	if wrong != "" {
		x.fail(wrong)
	}
}

// verdict is what the row asks for, and what is wrong with the answer.
func (x *world) verdict(before moment, got answer) (want, wrong string) {
	ours, settled := x.ours(got.err), false
	switch before.row.State {
	case idem.StateDone:
		want, settled = "replay, nothing runs", true
		switch {
		case errors.Is(got.err, idem.ErrResultNotStored) && ours != nil:
			wrong = "the method succeeded and its result could not be stored: only the first caller ever gets it"
		case errors.Is(got.err, idem.ErrUnreadable) && ours != nil:
			wrong = "the stored result can't be read"
		case got.err != nil:
			wrong = "the outcome is stored, and the call does not get it"
		}
	case idem.StateFailed:
		want, settled = "the stored error, nothing runs", true
		switch {
		case got.err == nil || ours != nil:
			wrong = "an error is stored as the outcome, and the call does not get it"
		case x.refusal != "" && got.err.Error() != x.refusal:
			wrong = "the stored error came back as another one"
		default:
			x.refusal = got.err.Error()
		}
	case idem.StateUnknown:
		want, settled = "outcome unknown, nothing runs", true
		if !errors.Is(got.err, idem.ErrOutcomeUnknown) {
			wrong = "nobody knows the outcome, and the call was not told so"
		}
	case idem.StateAbsent:
		want = "a run"
	default:
		want = "a take-over"
	}
	if n := x.Effects(); settled && wrong == "" && n != before.effects {
		wrong = fmt.Sprintf("there is an outcome, and the effect happened again (%d, then %d)", before.effects, n)
	}
	if !settled {
		wrong = x.ran(got)
	}
	return want, wrong
}

// ran is what is wrong with the answer of a call that was to run, or to take over.
func (x *world) ran(got answer) (wrong string) {
	ours := x.ours(got.err)
	switch {
	case got.gone:
		return "the method ended its goroutine"
	case errors.Is(got.err, idem.ErrOutcomeUnknown) && x.store.Row(x.base.id).State == idem.StateUnknown:
		return "" // held, or taken over too often
	case ours != nil:
		return "the lease is over, and the call could not act"
	case got.err != nil && x.base.succeeds:
		return "undisturbed the call succeeds, and after this it fails: nobody gets an outcome"
	}
	return ""
}

// another says what makes the call another request than the first one.
func (x *world) another(c *caller, got answer) (wrong string) {
	switch {
	case len(c.claims) == 0:
		return "this time the call made no claim"
	case c.claims[0].ID != x.base.id:
		return "the call has another key each time: something in it is made anew"
	case errors.Is(got.err, idem.ErrMismatch) && x.ours(got.err) != nil:
		return "the call has other arguments each time: something in them is made anew"
	}
	return ""
}

// consistent is what is wrong with an answer whatever the row said before.
func (x *world) consistent(c *caller, got answer) (wrong string) {
	row, effects := x.store.Row(x.base.id), x.Effects()
	if got.err == nil && !got.gone {
		switch {
		case row.State != idem.StateDone:
			return "the call succeeded, and no outcome is stored"
		case effects == 0:
			return "the call succeeded, and the effect did not happen"
		}
		if x.agreed == nil {
			x.agreed = &got
		} else if path, a, b := differ(x.agreed.value, got.value); path != "" {
			return fmt.Sprintf("two callers got different results: %s was %s and then %s", path, a, b)
		}
	}
	if limit := x.limit(); effects > limit {
		return fmt.Sprintf("the effect happened %d times; at most %d is right here", effects, limit)
	}
	return ""
}

// limit is how often the effect may have happened.
func (x *world) limit() int {
	limit := 1
	for _, c := range x.processes {
		if !x.Once && !x.base.once {
			c.mu.Lock()
			limit += c.takeOvers
			c.mu.Unlock()
		}
	}
	return limit
}

// judgeFirst looks at the answer of the first process, to which something happened that it lives on after.
func (x *world) judgeFirst(what *disturbance, got answer) {
	x.Helper()
	c, wrong := x.processes[0], ""
	left := what.how == callerLeaves && errors.Is(got.err, context.Canceled)
	switch {
	case got.gone:
		wrong = "the method ended its goroutine"
	case left:
	case x.ours(got.err) != nil:
		wrong = "one failure of the store came through to the caller"
	case x.base.succeeds && got.err != nil && what.how != callerLeaves:
		wrong = "undisturbed the call succeeds"
	}
	if wrong == "" && !left {
		wrong = x.consistent(c, got)
	}
	x.row(c.name, what.String(), x.say(got), wrong == "")
	if wrong != "" {
		x.fail(wrong)
	}
}

// judgeEarly looks at the answer of somebody who comes while the lease of the process that died is valid.
func (x *world) judgeEarly(c *caller, before moment, got answer) {
	x.Helper()
	wrong, after := x.another(c, got), x.before()
	switch {
	case wrong != "":
	case !errors.Is(got.err, idem.ErrInFlight):
		wrong = "the lease is valid, and the call was not told that another one is on it"
	case after.effects != before.effects:
		wrong = "the lease is valid, and the effect happened again"
	}
	x.row(c.name, "in flight, nothing runs", x.say(got), wrong == "")
	if wrong != "" {
		x.fail(wrong)
	}
}

// judgeLate looks at the answer of a process that stalled after its effect, and goes on when another one has taken over.
func (x *world) judgeLate(a *caller, before moment, got answer) {
	x.Helper()
	wrong := ""
	switch {
	case got.gone:
		wrong = "the method ended its goroutine"
	case errors.Is(got.err, idem.ErrLeaseLost) && before.row.State != idem.StateUnknown: // another call's run decides
	case x.ours(got.err) != nil:
		wrong = "the process came back with a result, and can't give it"
	default:
		wrong = x.consistent(a, got)
	}
	x.row(a.name, "goes on: the answer that all get", x.say(got), wrong == "")
	if wrong != "" {
		x.fail(wrong)
	}
}

// same checks that what landed late has not undone an outcome that somebody was given.
func (x *world) same() {
	x.Helper()
	state := x.store.Row(x.base.id).State
	if x.agreed != nil && state != idem.StateDone || x.refusal != "" && state != idem.StateFailed {
		x.fail("a caller was given an outcome, and it is not stored any more")
	}
}

// last looks at the world when all calls are over.
func (x *world) last() {
	x.Helper()
	if x.base.succeeds && x.agreed == nil && x.store.Row(x.base.id).State != idem.StateUnknown {
		x.fail("undisturbed the call succeeds, and here nobody gets an outcome")
	}
}

// differ is where two results differ.
func differ(was, is any) (path, a, b string) {
	va, vb := reflect.ValueOf(&was).Elem(), reflect.ValueOf(&is).Elem()
	path, a, b = difference("the result", va, vb)
	return path, a, b
}

// say is an answer in a few words, without the result: that may be anything.
func (x *world) say(got answer) string {
	ours := x.ours(got.err)
	text := "success"
	switch {
	case got.gone:
		text = "its goroutine ended"
	case ours != nil:
		text = ours.Kind.Error()
	case got.err != nil:
		text = "the method's error"
	}
	return text + ", " + x.count()
}

// count is how often the effect has happened.
func (x *world) count() string {
	if n := x.Effects(); n != 1 {
		return fmt.Sprintf("%d effects", n)
	}
	return "1 effect"
}

// row adds a line to the table.
func (x *world) row(who, want, saw string, right bool) { x.trail.add(who, want, saw, right) }

// fail fails the world with its table.
func (x *world) fail(wrong string) {
	x.Helper()
	x.Fatalf("%s\n%s", wrong, &x.trail)
}

// trail is the table of a world: who came, what was to happen, what was seen.
type trail struct {
	text bytes.Buffer
}

func (t *trail) add(who, want, saw string, right bool) {
	mark := ""
	if !right {
		mark = "\t<- wrong"
	}
	fmt.Fprintf(&t.text, "\t%s\t%s\t%s%s\n", who, want, saw, mark)
}

// String is the table, with its columns under each other.
func (t *trail) String() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 8, 3, ' ', 0)
	fmt.Fprint(w, "\twho\texpected\tseen\n"+t.text.String())
	_ = w.Flush()
	return out.String()
}

var _ testing.TB = (*world)(nil)
