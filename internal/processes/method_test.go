//go:build unix

package processes

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is what runs under a claim: the methods, with the faults that their fates put at their points. They are as
// careless as methods come: once begun, nothing stops them, a cancelled context neither.

var (
	errRefused = errors.New("the order was refused")
	errSilent  = errors.New("the booking did not answer")
)

var _ till = (*worker)(nil)

// Charge books an order.
func (w *worker) Charge(ctx context.Context, o order) (receipt, error) { return w.book(ctx, o) }

// Refund books an order.
func (w *worker) Refund(ctx context.Context, o order) (receipt, error) { return w.book(ctx, o) }

func (w *worker) book(ctx context.Context, o order) (receipt, error) {
	run, _ := idem.FromContext(ctx)
	f := w.fate(o.Key, run.Fence)
	line := effect{Call: callOf(ctx), Worker: w.Name, Key: o.Key, Attempt: run.Attempt, Fence: run.Fence}
	write := func(p phase) {
		line.Phase = p
		w.ledger.write(line)
	}
	w.at(entered, o.Key, run.Fence)
	write(phaseStart)
	w.at(started, o.Key, run.Fence)
	time.Sleep(f.takes)
	if run.Attempt > 1 { // the run before may be about to write
		if _, met := w.ask(ctx, finishing, o.Key); met {
			f.ending = succeeds // so that what the other has written can't be this one's
		}
	}
	switch f.ending {
	case refuses:
		write(phaseRefused)
		return receipt{}, errRefused
	case disowns:
		write(phaseRefused)
		return receipt{}, idem.NoEffect(errRefused)
	}
	line.Receipt = receipt{Number: rand.Text(), Amount: o.Amount}
	write(phaseDone)
	w.at(happened, o.Key, run.Fence)
	if f.ending == silent {
		write(phaseSilent)
		return receipt{}, idem.Unknown(errSilent)
	}
	return line.Receipt, nil
}

// fate is the run's fate. When faults are over, all runs succeed.
func (w *worker) fate(key string, fence int64) fate {
	f := fateOf(w.Seed, key, fence)
	if w.calm.Load() {
		f = fate{ending: succeeds, takes: f.takes}
	}
	return f
}

// at is a point of a run: here its fault happens, once.
func (w *worker) at(p point, key string, fence int64) {
	f := w.fate(key, fence)
	if f.fault == "" || f.at != p {
		return
	}
	if _, again := w.faults.LoadOrStore(fence, true); again { // the outcome is sent a second time
		return
	}
	n := notice{What: string(f.fault), Key: key, Fence: fence, At: p}
	switch f.fault {
	case kill:
		w.say(n)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case stall, revive:
		w.stop(n)
	}
}

// stop stops the process until it is continued from outside. The run goes on when it is told to: the signal may reach another thread
// first and let this one run on for a while; and a run that was revived waits until others have tried to take its claim.
func (w *worker) stop(n notice) {
	if !w.stopping.TryLock() { // another run is about to stop it
		return
	}
	defer w.stopping.Unlock()
	if n.What == string(stall) {
		w.late.Store(n.Key, true)
	}
	n.ID = w.nextID()
	goOn := w.expect(n.ID)
	w.say(n)
	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	w.await(context.Background(), n.ID, goOn, nil)
}
