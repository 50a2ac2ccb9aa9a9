//go:build unix

package processes

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file says in figures what a run was like, and whether it was hard enough to show anything.

// What the test counts beside the events of its workers.
const (
	stops      = "stop"
	cuts       = "cut"
	lateTaking = "late take-over"
	lateStep   = "late "
)

// figure is a line of the report.
type figure struct {
	name   string
	n      int
	needed bool // a run without is void
}

func figures(e *evidence, counts map[string]int) []figure {
	calls, starts := 0, 0
	for _, m := range e.moves {
		if m.Answer == "" {
			calls++
		}
	}
	for _, l := range e.effects {
		if l.Phase == phaseStart {
			starts++
		}
	}
	return []figure{
		{"keys", len(e.issued), false},
		{"calls", calls, false},
		{"starts", starts, false},
		{"processes killed", len(e.killed), false},
		{"  inside a run", e.killedInside(), true},
		{"processes stopped", counts[stops], true},
		{"connections cut", counts[cuts], false},
		{"expired leases", e.total(sawExpiry), false},
		{"releases", e.total(sawRelease), false},
		{"abandonments", e.total(sawAbandon), false},
		{"take-overs", e.total(sawExpiry, sawRetake), true},
		{"  tried on an owner who was back", counts[lateTaking], true},
		{"late writes fenced", counts[string(idem.EventFenced)], true},
		{"  completions beside a successor", counts[lateStep+"complete"], true},
		{"  releases beside a successor", counts[lateStep+"release"], true},
		{"  abandonments beside a successor", counts[lateStep+"abandon"], true},
		{"leases lost, and noticed", counts[string(idem.EventLeaseLost)], false},
		{"steps that failed", counts[string(idem.EventStoreFailed)], false},
	}
}

// inOneLine is the figures for a reader in a hurry.
func inOneLine(fs []figure) string {
	var all []string
	for _, f := range fs {
		all = append(all, fmt.Sprintf("%d %s", f.n, strings.TrimSpace(f.name)))
	}
	return strings.Join(all, ", ")
}

// report is all of it, for people.
func report(seed uint64, took time.Duration, e *evidence, fs []figure) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, %s\n", seed, took.Round(100*time.Millisecond))
	for _, f := range fs {
		fmt.Fprintf(&b, "%8d  %s\n", f.n, f.name)
	}
	answers := map[answer]int{}
	for _, m := range e.moves {
		if m.Answer != "" {
			answers[m.Answer]++
		}
	}
	fmt.Fprintln(&b, "answers:")
	for _, a := range slices.Sorted(maps.Keys(answers)) {
		fmt.Fprintf(&b, "%8d  %s\n", answers[a], a)
	}
	return b.String()
}

// story is all that is known of a key: each witness's part in its own order.
func (e *evidence) story(key string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, of which %+v is stored\n", key, e.stored[key])
	for _, s := range e.sights {
		if s.Key == key {
			fmt.Fprintf(&b, "  seen: %s, of fence %d\n", s.What, s.Fence)
		}
	}
	for _, l := range e.effects {
		if l.Key == key {
			fmt.Fprintf(&b, "  ledger: %s, attempt %d, fence %d, in call %s %v\n", l.Phase, l.Attempt, l.Fence, l.Call, l.Receipt)
		}
	}
	for _, m := range e.moves {
		if m.Key == key && m.Answer != "" && m.Answer != inFlight {
			fmt.Fprintf(&b, "  call %s: %s, %v %s\n", m.Call, m.Answer, m.Receipt, m.Detail)
		}
	}
	return b.String()
}
