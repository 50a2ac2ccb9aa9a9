package claims

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is how a person decides: he sees the claim and what is going to happen, says yes, and it happens if the claim is then still as
// he saw it.

// DecideWish is what somebody wants to decide.
type DecideWish struct {
	Name   Name
	Action idem.Action
	Result ResultWish // of ActionComplete; its TTL and Dir of ActionNotHappened, too
	Force  bool
	Who    string // empty: the user and host of the process
	Why    string
	Yes    bool // it is not asked
}

// Decide carries a decision out, after asking.
func (d *Desk) Decide(ctx context.Context, w DecideWish) error {
	if w.Why == "" {
		return usage("why? Give -why; it is written down with what is done")
	}
	if w.Who == "" {
		w.Who = who()
	}
	if err := d.askable(w.Yes, w.Result.File == "-"); err != nil {
		return err
	}
	l, err := d.find(ctx, w.Name, false)
	if err != nil {
		return err
	}
	c := l.Claims[0]
	decision := idem.Decision{
		Token: idem.NewToken(), ID: c.ID, Seen: idem.Seen{State: c.State, Owner: c.Owner}, Action: w.Action, Force: w.Force, Who: w.Who, Why: w.Why,
	}
	if err := explained(decision.Refuses(c.Row)); err != nil { // before anybody has to look for a result
		return err
	}
	if decision.Result, decision.TTL, err = w.read(c, d); err != nil {
		return err
	}
	if err := decision.Check(); err != nil {
		return UsageError{err.Error()}
	}
	d.describe(d.Err, c, l.Now)
	fmt.Fprintf(d.Err, "%-10s %s\n", "will be", consequence(decision, c))
	if err := d.ask(w.Yes); err != nil {
		return err
	}
	return d.carryOut(ctx, decision)
}

// read is what comes with the decision.
func (w DecideWish) read(c idem.ListedClaim, d *Desk) (r idem.StoredResult, keep time.Duration, err error) {
	switch w.Action {
	case idem.ActionComplete:
		return w.Result.read(c, d.In)
	case idem.ActionNotHappened:
		file, err := readLock(w.Result.Dir)
		if err != nil {
			return r, 0, err
		}
		keep, err = w.Result.keep(operation(file, c.Ref.Operation))
		return r, keep, err
	default:
		return r, 0, nil
	}
}

// carryOut sends the decision and says what came of it.
func (d *Desk) carryOut(ctx context.Context, decision idem.Decision) error {
	e, err := idem.Decide(ctx, d.Admin, decision)
	refusal, refused := errors.AsType[*idem.Refusal](err)
	switch {
	case refused:
		return explained(refusal)
	case undone(err):
		return fmt.Errorf("nothing was changed: %w", err)
	case err != nil:
		return fmt.Errorf("%w; it may have been carried out all the same: claims audit %s tells", err, decision.ID)
	case d.JSON:
		d.say(d.decisionLine(e))
	default:
		fmt.Fprintf(d.Out, "%s is %s; written down as decided by %s\n", short(e.Claim), e.After, visible(e.Who))
	}
	return nil
}

// undone reports whether a decision that failed certainly changed nothing.
func undone(err error) bool {
	e, ok := errors.AsType[*idem.StoreError](err)
	return ok && e.NotApplied
}

// explained is a refusal with what to do.
func explained(r *idem.Refusal) error {
	if r == nil {
		return nil
	}
	next := "look at it again with claims show"
	switch r.Kind {
	case idem.RefusedLive:
		next = "wait for its lease to end, or take it from its run with claims hold -force, and see to it that the run has ended"
	case idem.RefusedForce:
		next = "if you are sure, add -force"
	case idem.RefusedSettled:
		next = "to have the next call run all the same, claims release -force"
	case idem.RefusedGone, idem.RefusedAlready:
		next = "there is nothing to do"
	}
	return fmt.Errorf("nothing was changed: %w; %s", r, next)
}

// consequence says what becomes of the claim.
func consequence(d idem.Decision, c idem.ListedClaim) string {
	switch d.Action {
	case idem.ActionComplete:
		switch keep := kept(d.Keep()); d.Result.Codec {
		case "none":
			return "done, " + keep + ": callers are told that it happened, and that its result was not stored"
		case "void":
			return "done, " + keep + ": callers are told that it happened"
		default:
			return fmt.Sprintf("done, %s: all callers get the given result, %s in codec %s", keep, size(int64(len(d.Result.Data))), d.Result.Codec)
		}
	case idem.ActionNotHappened:
		return fmt.Sprintf("open: the next call with the same arguments runs, as attempt %d; other arguments are refused %s", c.Attempt+1, kept(d.Keep()))
	case idem.ActionHold:
		if c.Standing() == idem.StandingRunning {
			return "unknown: it is taken from the call that is on it, whose context ends; nobody runs it until somebody decides"
		}
		if c.Standing() == idem.StandingNotHappened { // it is nobody's
			return "unknown: nobody runs it until somebody decides"
		}
		return "unknown: nobody runs it until somebody decides, or its run comes back"
	default:
		if c.State == idem.StateDone || c.State == idem.StateFailed {
			return "deleted, with its outcome: the next call runs, though it has happened already"
		}
		return "deleted: the next call runs as the first, whatever its arguments, though it may have happened already"
	}
}

func kept(d time.Duration) string {
	if d == idem.Forever {
		return "for good"
	}
	return "for " + age(d)
}

// who is the process's user and host.
func who() string {
	name := cmp.Or(os.Getenv("USER"), os.Getenv("LOGNAME"), os.Getenv("USERNAME"))
	if u, err := user.Current(); name == "" && err == nil {
		name = u.Username // say, in a container
	}
	name = cmp.Or(name, "unknown")
	host, err := os.Hostname()
	if err != nil || host == "" {
		return name
	}
	return name + "@" + host
}

// askable refuses, before anything is looked at, what can't be asked for.
func (d *Desk) askable(yes, stdinTaken bool) error {
	switch {
	case yes:
		return nil
	case d.In == nil:
		return usage("there is nobody to ask; add -yes to have it done unasked")
	case stdinTaken:
		return usage("standard input is the result, so nobody can be asked; add -yes to have it done unasked")
	}
	return nil
}

// errNotAsked ends a command whose question was not answered with yes.
var errNotAsked = errors.New("nothing was changed")

func (d *Desk) ask(yes bool) error {
	if yes {
		return nil
	}
	fmt.Fprint(d.Err, "type yes to go on: ")
	answer, _ := bufio.NewReader(d.In).ReadString('\n')
	if strings.TrimSpace(answer) != "yes" {
		return errNotAsked
	}
	return nil
}

// SweepWish is what a sweep is asked for.
type SweepWish struct{ Yes bool }

// Sweep deletes what has expired, after asking.
func (d *Desk) Sweep(ctx context.Context, store idem.Store, w SweepWish) error {
	if err := d.askable(w.Yes, false); err != nil {
		return err
	}
	s, err := d.Admin.Stats(ctx)
	if err != nil {
		return err
	}
	all, expired := 0, 0
	for _, g := range s.Groups {
		all, expired = all+g.Count, expired+g.Expired
	}
	fmt.Fprintf(d.Err, "%d of %s expired; what has been so for some time will be deleted, and its keys are new then\n", expired, claimsOf(all))
	if err := d.ask(w.Yes); err != nil {
		return err
	}
	engine, err := idem.New(keepOpen{store})
	if err != nil {
		return err
	}
	defer engine.Close()
	deleted, err := engine.Sweep(ctx)
	if d.JSON {
		d.say(sweepLine{Version: jsonVersion, Kind: "sweep", Deleted: deleted})
	} else {
		fmt.Fprintf(d.Out, "deleted %s\n", claimsOf(deleted))
	}
	return err
}

// keepOpen is a store that an engine does not close.
type keepOpen struct{ idem.Store }
