package main

import (
	"errors"
	"fmt"
	"io"
)

// This file is what the demo says in the end: the table, and whether it shows what it should.

func printTable(out io.Writer, results []result) {
	const row = "%-20s %6v %9v %16v %9v %7v %11v\n"
	fmt.Fprintf(out, "\n"+row, "", "calls", "charges", "double charges", "replays", "waits", "conflicts")
	for i, r := range results {
		fmt.Fprintf(out, row, r.label(i), r.storm.calls, r.books.bookings, r.books.double,
			r.events["replayed"], r.events["waited"], r.storm.conflicts)
	}
	fmt.Fprintf(out, `
calls           requests the clients sent; %d payments are wanted
charges         bookings in the card network's own file (a refund is one, too)
double charges  bookings of a payment that had been booked already
replays         calls that a server answered with a receipt stored before
waits           calls that waited for another one of the same payment
conflicts       answers "still being worked on, ask again" (409); refunds are annotated to give them

`, keys)
	for i, r := range results {
		fmt.Fprintf(out, "%d. %d calls were given up by their clients, %d broke off; %s.%s\n",
			i+1, r.storm.timeouts, r.storm.broken, r.agreement(), r.afterlife())
	}
}

func (r result) label(i int) string {
	switch {
	case r.byHand:
		return fmt.Sprintf("%d. by hand", i+1)
	case r.kill:
		return fmt.Sprintf("%d. idemgen, kill -9", i+1)
	default:
		return fmt.Sprintf("%d. idemgen", i+1)
	}
}

// split counts the payments whose callers were given different receipts.
func (r result) split() (n int) {
	for _, receipts := range r.storm.receipts {
		if len(receipts) > 1 {
			n++
		}
	}
	return n
}

func (r result) agreement() string {
	if n := r.split(); n > 0 {
		return fmt.Sprintf("the callers of %d payments hold different receipts", n)
	}
	return "all callers of a payment hold the same receipt"
}

// afterlife says what became of the charges that a killed server had under way.
func (r result) afterlife() string {
	if !r.kill {
		return ""
	}
	return fmt.Sprintf("\n   Claims of the dead server were taken over %d times; %d times the card network had made the booking\n"+
		"   already, and knew it by the key that the wrapper derives for it.",
		r.events["taken over"], r.books.repeats)
}

// verdict is an error when the rounds did not show what they are there to show.
func verdict(results []result) error {
	var errs []error
	for i, r := range results {
		complain := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("round %d: %s", i+1, fmt.Sprintf(format, args...)))
		}
		switch {
		case r.byHand && r.books.double == 0:
			complain("nothing was charged twice, so the storm was too weak to show anything")
		case !r.byHand && r.books.double > 0:
			complain("%d double charges", r.books.double)
		}
		if !r.byHand && r.split() > 0 {
			complain("%s", r.agreement())
		}
		if r.books.bookings-r.books.double != keys {
			complain("%d payments were booked, not %d", r.books.bookings-r.books.double, keys)
		}
		if r.kill && r.books.repeats == 0 {
			complain("no charge was under way when the server was killed, so it showed nothing")
		}
	}
	return errors.Join(errs...)
}
