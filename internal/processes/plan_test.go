//go:build unix

package processes

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// This file is what chance decides, by the seed: what becomes of a run, and at which of its points. A run is known by its key
// and its fence, so that all who ask get the same answer.

const (
	slots   = 20              // keys in use at a time
	workers = 4               // processes
	callers = 50              // in each worker
	lease   = time.Second     // as in the annotation
	pace    = 5 * lease / 100 // what an ordinary run takes at most
)

// point is a place in a run where a fault can be put.
type point string

// The points, in the order of a run.
const (
	entered    point = "entered"    // the claim is won, the effect not begun
	started    point = "started"    // the effect is begun
	happened   point = "happened"   // the effect is there, the method has not returned
	completing point = "completing" // the method has returned, its outcome is not sent
	completed  point = "completed"  // the outcome is stored, the caller not answered

	anywhere point = "anywhere" // what comes from outside asks for no point
)

// fault is what happens to the process at a point.
type fault string

// The faults.
const (
	kill   fault = "kill"
	stall  fault = "stall"  // stopped until another run is under way, to write beside it
	revive fault = "revive" // stopped past its lease, and back when others are about to take over
)

// ending is how a method ends.
type ending string

// The endings.
const (
	succeeds ending = "succeeds"
	refuses  ending = "refuses" // a plain error, before the effect
	disowns  ending = "disowns" // an error that is marked as one without effect
	silent   ending = "silent"  // the effect is there, and the method could not say so
)

// fate is what becomes of a run.
type fate struct {
	fault  fault // none where empty
	at     point
	ending ending
	takes  time.Duration
}

// dice are the chances of one thing.
func dice(seed uint64, thing ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintln(h, thing...)
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

func fateOf(seed uint64, key string, fence int64) fate {
	d := dice(seed, key, fence)
	f := fate{ending: succeeds, takes: pace/10 + upTo(d, pace)}
	switch chance := d.IntN(100); {
	case chance < 10:
		f.ending = refuses
	case chance < 15:
		f.ending = disowns
	case chance < 30:
		f.ending = silent
	}
	switch chance := d.IntN(100); {
	case chance < 5:
		f.fault, f.at = kill, pick(d, entered, started, happened, completing, completed)
	case chance < 11:
		f.fault, f.ending = stall, pick(d, succeeds, disowns, silent) // as many late writes of each kind
		f.at = pick(d, reached[f.ending]...)
	case chance < 13:
		f.fault, f.at = revive, pick(d, entered, started, happened)
	case chance < 16:
		f.takes = lease * 3 / 2 // only renewals keep its claim
	}
	return f
}

// reached are the points that a run comes to with its claim, by how it ends.
var reached = map[ending][]point{
	succeeds: {entered, started, happened, completing},
	disowns:  {entered, started},
	silent:   {entered, started, happened},
}

// upTo is a time below most.
func upTo(d *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(d.Int64N(int64(most)))
}

func pick[T any](d *rand.Rand, of ...T) T { return of[d.IntN(len(of))] }

// generations says how often each slot's key was replaced by a new one.
type generations [slots]int

// order is what to ask for in a slot. All callers of one key ask for the same.
func (g generations) order(slot int) order {
	return order{Key: fmt.Sprintf("%02d-%d", slot, g[slot]), Amount: 100*g[slot] + slot}
}

// orders is order for all slots.
func (g generations) orders() (all []order) {
	for slot := range g {
		all = append(all, g.order(slot))
	}
	return all
}

// waits reports whether duplicates of the order wait: so they do in every second slot.
func (o order) waits() bool { return o.Amount%2 == 0 }
