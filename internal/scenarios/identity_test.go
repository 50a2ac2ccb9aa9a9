package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is what makes two calls the same request: operation, tenant and key name the row, and the arguments must agree.

// change is an argument that is not what it was.
type change struct {
	name string
	do   func(*placing)
}

// changes are one for each argument, and each part of one. What it changes is its own, so that changes can be made one at a time.
var changes = []change{
	{"a field", func(p *placing) { p.order.Item = "lamps" }},
	{"a number in a field", func(p *placing) { p.order.Count = 3 }},
	{"a zero field", func(p *placing) { p.order.Count = 0 }},
	{"a value of a map", func(p *placing) { p.order.Options["plug"] = "UK" }},
	{"a key of a map", func(p *placing) { delete(p.order.Options, "plug"); p.order.Options["socket"] = "EU" }},
	{"one more in a map", func(p *placing) { p.order.Options["switch"] = "" }},
	{"no map", func(p *placing) { p.order.Options = nil }},
	{"a field behind a pointer", func(p *placing) { p.order.Delivery.City = "Ghent " }},
	{"text moved between fields", func(p *placing) { *p.order.Delivery = address{"Main Street 1G", "hent"} }},
	{"no pointer", func(p *placing) { p.order.Delivery = nil }},
	{"a number", func(p *placing) { p.cents++ }},
	{"its sign", func(p *placing) { p.cents = -p.cents }},
	{"an element", func(p *placing) { p.coupons[1] = "friend" }},
	{"the order of elements", func(p *placing) { slices.Reverse(p.coupons) }},
	{"one element fewer", func(p *placing) { p.coupons = p.coupons[:1] }},
	{"elements joined", func(p *placing) { p.coupons = []string{"SPRINGFRIEND"} }},
	{"no elements", func(p *placing) { p.coupons = nil }},
	{"a pointer's value", func(p *placing) { *p.gift = false }},
	{"a nil pointer", func(p *placing) { p.gift = nil }},
	{"an instant", func(p *placing) { p.due = p.due.Add(time.Nanosecond) }},
	{"no instant", func(p *placing) { p.due = time.Time{} }},
}

// TestG3: every argument counts, with the code that is generated and in every state of the row.
func TestG3_EachArgumentThatChangesIsAMismatch(t *testing.T) {
	t.Parallel()
	for state, set := range map[string]string{
		"done":    "",
		"running": "state = 1, lease_until = clock_timestamp() + interval '1 hour'",
		"lapsed":  "state = 1, lease_until = clock_timestamp() - interval '1 minute'",
		"unknown": "state = 4",
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			c, shop, _ := s.wrapped()
			if _, err := anOrder().send(t, shop); err != nil {
				t.Fatal(err)
			}
			if set != "" {
				s.exec("UPDATE idem_claims SET " + set + ", completed_at = NULL, expires_at = NULL, codec = NULL, schema_hash = NULL, result = NULL")
			}
			for _, change := range changes {
				p := anOrder()
				change.do(&p)
				if out, err := p.send(t, shop); !errors.Is(err, idem.ErrMismatch) || out != "" {
					t.Errorf("%s: got %q, %v", change.name, out, err)
				}
			}
			if n := c.placed.Load(); n != 1 {
				t.Errorf("it ran %d times", n)
			}
			if n := s.events.count(idem.EventMismatch); n != len(changes) || s.events.count(idem.EventWaited) != 0 {
				t.Errorf("%d mismatches were observed, want %d; events %v", n, len(changes), s.events.kinds())
			}
		})
	}
}

// TestG3 the other way round: what is written differently and means the same is no change.
func TestG3_TheSameArgumentsWrittenDifferentlyAreNoMismatch(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c, shop, _ := s.wrapped()
	for _, change := range []change{
		{"nothing", func(*placing) {}},
		{"a map filled in another order", func(p *placing) { p.order.Options = map[string]string{"plug": "EU", "colour": "red"} }},
		{"another pointer", func(p *placing) { a := *p.order.Delivery; p.order.Delivery = &a }},
		{"another zone", func(p *placing) { p.due = p.due.In(time.FixedZone("CET", 3600)) }},
	} {
		p := anOrder()
		change.do(&p)
		if out, err := p.send(t, shop); out != "placed 1" || err != nil {
			t.Errorf("%s: got %q, %v", change.name, out, err)
		}
	}
	if n := c.placed.Load(); n != 1 {
		t.Errorf("it ran %d times", n)
	}
}

// TestG3 with no arguments at all: nothing equals nothing, and is not equal to something.
func TestG3_NoArgumentsAreEqualToNoArgumentsAlone(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	call := func(key string, args func(*idem.Fingerprint)) (string, error) {
		c := s.request(key, "")
		c.Args = args
		return idem.Do(t.Context(), s.engine, &charge, c)
	}
	none := []func(*idem.Fingerprint){nil, func(*idem.Fingerprint) {}}
	some := func(f *idem.Fingerprint) { f.Add("arg", "a") }
	for i, args := range slices.Concat(none, none) {
		if out, err := call("none", args); out != "ran 1" || err != nil {
			t.Errorf("call %d without arguments: %q, %v", i, out, err)
		}
	}
	_, err := call("none", some)
	wantErr(t, err, idem.ErrMismatch)
	if out, err := call("some", some); out != "ran 2" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	for _, args := range none {
		_, err := call("some", args)
		wantErr(t, err, idem.ErrMismatch)
	}
	s.wantRuns(2)
}

// TestG6: what each attempt has of its own, such as a trace, is no part of what was asked for.
func TestG6_WhatEachAttemptHasOfItsOwnMakesNoMismatch(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c, _, courier := s.wrapped()
	for attempt := range 3 {
		n, err := courier.Send(t.Context(), "k", parcel{Item: "book", Trace: fmt.Sprint("trace ", attempt)}, attempt)
		if n != 1 || err != nil {
			t.Errorf("attempt %d got %d, %v", attempt, n, err)
		}
	}
	_, err := courier.Send(t.Context(), "k", parcel{Item: "bread", Trace: "trace 0"}, 0)
	wantErr(t, err, idem.ErrMismatch)
	if runs := c.recalled.Load(); runs != 1 {
		t.Errorf("%d runs", runs)
	}
}

// TestG7: the body belongs to the fingerprint. Were it in the key, an edited retry would be a second order, in silence.
func TestG7_AnEditedRetryIsAMismatchAndNoSecondOperation(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c, shop, _ := s.wrapped()
	if _, err := anOrder().send(t, shop); err != nil {
		t.Fatal(err)
	}
	for count := range 5 {
		edited := anOrder()
		edited.order.Count = 10 + count
		_, err := edited.send(t, shop)
		wantErr(t, err, idem.ErrMismatch)
	}
	if runs, rows := c.placed.Load(), s.rowCount(); runs != 1 || rows != 1 {
		t.Errorf("%d runs and %d rows; want one of each", runs, rows)
	}
	edited := anOrder()
	edited.key, edited.order.Count = "another key", 10
	if out, err := edited.send(t, shop); out != "placed 2" || err != nil {
		t.Errorf("the edited order under a key of its own: %q, %v", out, err)
	}
}

// TestG9: what belongs to one operation never meets another one's, however much their names, scopes and keys look alike.
func TestG9_OperationsNeverShareARow(t *testing.T) {
	t.Parallel()
	t.Run("methods of one name", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		c, shop, courier := s.wrapped()
		for range 2 {
			out, err := shop.Cancel(t.Context(), "alice", "k")
			if out != "cancelled 1" || err != nil {
				t.Errorf("the shop: %q, %v", out, err)
			}
			number, err := courier.Cancel(t.Context(), "k")
			if number != 1 || err != nil {
				t.Errorf("the courier: %d, %v", number, err)
			}
		}
		if a, b := c.cancelled.Load(), c.recalled.Load(); a != 1 || b != 1 {
			t.Errorf("%d and %d runs", a, b)
		}
	})
	t.Run("names that run into each other", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		refs := []idem.Ref{
			{Operation: "pay", Scope: "ab", Key: "c"},
			{Operation: "pay", Scope: "a", Key: "bc"},
			{Operation: "pay", Scope: "", Key: "abc"},
			{Operation: "paya", Scope: "b", Key: "c"},
			{Operation: "paya", Scope: "", Key: "bc"},
			{Operation: "payabc", Scope: "", Key: "abc"},
			{Operation: "Pay", Scope: "ab", Key: "c"},
		}
		for range 2 {
			for i, ref := range refs {
				c := s.request(ref.Key, "a")
				if ref.Scope != "" {
					c.Scope = idem.StringKey(ref.Scope)
				}
				out, err := idem.Do(t.Context(), s.engine, &idem.Operation[string]{Name: ref.Operation}, c)
				if want := fmt.Sprint("ran ", i+1); out != want || err != nil {
					t.Errorf("%+v: %q, %v; want %q", ref, out, err, want)
				}
			}
		}
		s.wantRuns(int64(len(refs)))
	})
}

// TestPD1: a client uses one key for all that it sends while it handles one request of its own.
func TestPD1_TheSameKeyOfAnotherOperationIsAnotherRequest(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c, shop, courier := s.wrapped()
	for range 2 {
		if out, err := anOrder().send(t, shop); out != "placed 1" || err != nil {
			t.Errorf("the order: %q, %v", out, err)
		}
		if out, err := shop.Cancel(t.Context(), "alice", "k"); out != "cancelled 1" || err != nil {
			t.Errorf("its cancellation: %q, %v", out, err)
		}
		if n, err := courier.Cancel(t.Context(), "k"); n != 1 || err != nil {
			t.Errorf("the courier's: %d, %v", n, err)
		}
	}
	if rows, mismatches := s.rowCount(), s.events.count(idem.EventMismatch); rows != 3 || mismatches != 0 {
		t.Errorf("%d rows, %d mismatches", rows, mismatches)
	}
	if c.placed.Load()+c.cancelled.Load()+c.recalled.Load() != 3 {
		t.Errorf("%d, %d and %d runs", c.placed.Load(), c.cancelled.Load(), c.recalled.Load())
	}
}

// TestPD2: what nobody asked for when the key was used first is neither answered nor done.
func TestPD2_TheSameKeyWithOtherInputIsNotAnsweredAsIfItWereTheSame(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c, shop, _ := s.wrapped()
	if _, err := anOrder().send(t, shop); err != nil {
		t.Fatal(err)
	}
	for _, cents := range []int64{1998, 199900, 0, -1999} {
		p := anOrder()
		p.cents = cents
		out, err := p.send(t, shop)
		if e := wantErr(t, err, idem.ErrMismatch); out != "" || e.RetryAfter != 0 {
			t.Errorf("%d cents: %q, %+v", cents, out, e)
		}
	}
	if n := c.placed.Load(); n != 1 {
		t.Errorf("it ran %d times", n)
	}
}

// TestPD7: what can't be compared is not hashed into something that can: the call is refused before anything is sent.
func TestPD7_WhatCannotBeEncodedIsNoFingerprint(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	sent := s.countStatements()
	type hidden struct{ secret string }
	for name, args := range map[string]func(*idem.Fingerprint){
		"a function":                 func(f *idem.Fingerprint) { f.Add("v", func() {}) },
		"a channel":                  func(f *idem.Fingerprint) { f.Add("v", make(chan int)) },
		"a stream":                   func(f *idem.Fingerprint) { f.AddInterface("v", strings.NewReader("swordfish")) },
		"an error without fields":    func(f *idem.Fingerprint) { f.AddInterface("v", errors.New("swordfish")) },
		"a struct that hides itself": func(f *idem.Fingerprint) { f.Add("v", hidden{"swordfish"}) },
		"one in a slice":             func(f *idem.Fingerprint) { f.Add("v", []any{1, func() {}}) },
		"one behind a good argument": func(f *idem.Fingerprint) { f.Add("good", 1); f.Add("v", make(chan int)) },
		"one before a good argument": func(f *idem.Fingerprint) { f.Add("v", make(chan int)); f.Add("good", 1) },
		"one name for two":           func(f *idem.Fingerprint) { f.Add("v", 1); f.Add("v", 2) },
	} {
		for range 2 {
			c := s.request("k", "")
			c.Args = args
			_, err := idem.Do(t.Context(), s.engine, &charge, c)
			if e := wantErr(t, err, idem.ErrBadArgument); e.Reason == "" || strings.Contains(err.Error(), "swordfish") || e.RetryAfter != 0 {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
	if statements := sent.take(); len(statements) != 0 {
		t.Errorf("%d statements were sent: %q", len(statements), statements)
	}
	s.wantRuns(0)
}
