//go:build unix

package processes

import (
	"context"
	"errors"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is a caller: it asks for one order after the other, among those that everybody asks for, and writes down what it
// asked and what it was told.

// answer is the kind of what a call was told.
type answer string

// The answers.
const (
	ranStored   answer = "ran, stored"     // by this call
	ranUnstored answer = "ran, not stored" // by this call, and a retry may run again
	replayed    answer = "replayed"
	refused     answer = "refused"    // the method's error
	unsaid      answer = "unknown"    // the method's error
	inFlight    answer = "in flight"  // another call runs
	leaseLost   answer = "lease lost" // succeeded, and another call has the claim
	gaveUp      answer = "gave up"    // the caller's own patience
	storeFailed answer = "store"
	unexpected  answer = "unexpected" // nothing that happens here is a reason for it
)

type callKey struct{}

// callOf is the id of the call a method runs in.
func callOf(ctx context.Context) string {
	id, _ := ctx.Value(callKey{}).(string)
	return id
}

// caller calls until it is to finish.
func (w *worker) caller(number int, finish <-chan struct{}) {
	d := dice(w.Seed, w.Name, number)
	for {
		select {
		case <-finish:
			return
		case <-time.After(4*pace + upTo(d, 4*pace)):
			patience := time.Minute
			if d.IntN(10) == 0 {
				patience = pace + upTo(d, lease)
			}
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			m := move{Call: w.nextID(), Worker: w.Name}
			call(ctx, w.till, w.history, m, w.generations.Load().order(d.IntN(slots)))
			cancel()
		}
	}
}

// call makes one call and writes it down.
func call(ctx context.Context, t till, history *journal, m move, o order) move {
	m.Key = o.Key
	history.write(m)
	ctx, info := idem.WithInfo(context.WithValue(ctx, callKey{}, m.Call))
	method := t.Charge
	if !o.waits() {
		method = t.Refund
	}
	var err error
	if m.Receipt, err = method(ctx, o); err != nil {
		m.Detail = err.Error()
	}
	m.Answer, m.Stored = answerOf(err, info), info.Stored && err == nil
	history.write(m)
	return m
}

func answerOf(err error, info *idem.Info) answer {
	switch {
	case err == nil && info.Replayed:
		return replayed
	case err == nil && info.Stored:
		return ranStored
	case err == nil:
		return ranUnstored
	}
	for _, known := range []struct {
		err error
		is  answer
	}{
		{errRefused, refused},
		{errSilent, unsaid},
		{idem.ErrInFlight, inFlight},
		{idem.ErrLeaseLost, leaseLost},
		{context.DeadlineExceeded, gaveUp},
		{idem.ErrStore, storeFailed},
	} {
		if errors.Is(err, known.err) {
			return known.is
		}
	}
	return unexpected
}
