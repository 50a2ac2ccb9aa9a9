package claims

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is how things are written for people.

// table prints rows in columns.
func (d *Desk) table(rows [][]string) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = visible(cell)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	_ = w.Flush() // into memory
	for line := range strings.Lines(b.String()) {
		fmt.Fprintln(d.Out, strings.TrimRight(line, " \n"))
	}
}

// visible is text without what a terminal would act on. Operations, scopes and origins come from the database.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '?'
		}
		return r
	}, text)
}

// short is how errors and events call a claim, too.
func short(id idem.ID) string { return id.String()[:8] }

// state is how a claim stands, in a word or two.
func state(c idem.ListedClaim) string {
	if c.Expired {
		return string(c.Standing()) + ", expired"
	}
	return string(c.Standing())
}

// age is a length of time, roughly.
func age(d time.Duration) string {
	switch {
	case d < time.Second:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	default:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
}

// size is a number of bytes, roughly.
func size(n int64) string {
	const kib = 1 << 10
	switch {
	case n < 10*kib:
		return fmt.Sprintf("%d B", n)
	case n < 10*kib*kib:
		return fmt.Sprintf("%d KiB", n/kib)
	default:
		return fmt.Sprintf("%d MiB", n/kib/kib)
	}
}

// claimsOf is a number of claims.
func claimsOf(n int) string {
	if n == 1 {
		return "1 claim"
	}
	return fmt.Sprintf("%d claims", n)
}

// instant is a point in time; empty: none.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// meaning says what a claim that stands so means for callers.
func meaning(c idem.ListedClaim) string {
	switch c.Standing() {
	case idem.StandingRunning:
		return "a call is on it; its duplicates wait, or are told to come back"
	case idem.StandingLapsed:
		return "its run has ended or stalled, and may have had its effect; the next call does as its operation's takeover says"
	case idem.StandingNotHappened:
		return "a person has decided that it did not happen; the next call with the same arguments runs"
	case idem.StandingUnknown:
		return "it may have happened, and nobody runs it again until somebody decides"
	case idem.StandingFailed:
		return "it failed for good; callers get that error"
	default:
		if c.Codec == "none" {
			return "it happened; callers are told that its result was not stored"
		}
		return "it happened; callers get its result"
	}
}
