package main

import (
	"context"
	"io"
	"os"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/claims"
)

// This file is the command that people look at claims with, and decide. It reads flags; what they ask for is done in internal/claims.

const claimsAbout = `Claims are the rows that keyed methods leave in Postgres: one for each operation, scope and key. When a run was cut off, nobody but a person can
find out whether it had its effect. These verbs show what is there and carry out what you have found out. Whatever changes a claim shows it
first, asks, and is written down with who and why in the table idem_audit. docs/claims.md has an example.`

func setupClaims(*flags) action {
	return func(context.Context, []string, io.Writer, io.Writer) error {
		return usageError{"claims has to be told what to do, as in: idemgen claims list (idemgen claims -h lists all)"}
	}
}

// claimsVerbs are what "idemgen claims" does.
func claimsVerbs() []command {
	return []command{
		{name: "claims list", summary: "list claims, the oldest in front", setup: setupClaimsList},
		{name: "claims show", args: "[ID]", summary: "show one claim, and what can be decided", words: noWords, setup: setupClaimsShow},
		{
			name: "claims complete", args: "[ID]", summary: "it happened: give callers its result", words: noWords,
			about: `It happened: all callers get the result that you give, as if the run had stored it. For lapsed and unknown claims. The result is read from a
file, in the form that the operation stores: idem.lock of the module in the working directory has it, and what does not fit is refused.`,
			setup: decision(idem.ActionComplete),
		},
		{
			name: "claims not-happened", args: "[ID]", summary: "it did not happen: let the next call run", words: noWords,
			about: `It did not happen: the next call with the same key and arguments runs, as one more attempt; other arguments are still refused. For lapsed and
unknown claims.`,
			setup: decision(idem.ActionNotHappened),
		},
		{
			name: "claims hold", args: "[ID]", summary: "let nobody run it until somebody decides", words: noWords,
			about: `Nobody runs it again until somebody decides. A lapsed claim can still be settled by its run, should that come back. With -force a live claim
is taken away from the call that is on it: its context ends, and it can't settle the claim any more.`,
			setup: decision(idem.ActionHold),
		},
		{
			name: "claims release", args: "[ID]", summary: "delete a claim with all it holds; needs -force", words: noWords,
			about: `The row is deleted, with its arguments and its outcome, and the next call runs as the first, whatever its arguments: also what has happened
already, and what may have. For all claims but live ones.`,
			setup: decision(idem.ActionRelease),
		},
		{name: "claims stats", summary: "count claims by operation and state", setup: setupClaimsStats},
		{name: "claims audit", args: "[ID]", summary: "list what was decided, the last decision in front", words: noWords, setup: setupClaimsAudit},
		{name: "claims sweep", summary: "delete what has expired", setup: setupClaimsSweep},
	}
}

func noWords() []candidate { return nil }

// sitting is what all verbs share.
type sitting struct {
	address    string
	json, keys bool
}

func (s *sitting) flags(f *flags) {
	f.text(&s.address, "db", "URL", "the database; default $IDEMGEN_DATABASE_URL, $DATABASE_URL, or what PGHOST, PGDATABASE and so on say")
	f.on(&s.json, "json", "print JSON, one object a line")
}

func (s *sitting) keyFlag(f *flags) {
	f.on(&s.keys, "keys", "show keys as callers sent them")
}

// at opens the database and does something at the desk.
func (s *sitting) at(ctx context.Context, stdout, stderr io.Writer, do func(*claims.Desk, *postgres.Store) error) error {
	store, closeStore, err := claims.Open(ctx, s.address)
	if err != nil {
		return err
	}
	defer closeStore()
	return do(&claims.Desk{Admin: store, Out: stdout, Err: stderr, In: person(), JSON: s.json, Keys: s.keys}, store)
}

// person is where somebody types answers; nil: nobody does. Tests answer themselves.
var person = func() io.Reader {
	info, err := os.Stdin.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(info, null) {
		return nil
	}
	return os.Stdin
}

// named reads how a claim is named.
func named(f *flags, n *claims.Name) {
	f.text(&n.Operation, "op", "NAME", "with -key: the claim's operation")
	f.text(&n.Scope, "scope", "TEXT", "with -key: its scope")
	f.text(&n.Key, "key", "TEXT", "name the claim by what callers sent, instead of by its id")
}

// id is the argument that names a claim.
func id(args []string, n *claims.Name) error {
	switch len(args) {
	case 0:
		return nil
	case 1:
		n.ID = args[0]
		return nil
	default:
		return usageError{"name one claim: " + args[1] + " is one too many"}
	}
}

func setupClaimsList(f *flags) action {
	var s sitting
	var scope string
	w := claims.ListWish{Limit: 100}
	f.text(&w.States, "state", "LIST", "only those that stand so: some of running,lapsed,not-happened,unknown,done,failed", claims.Standings()...)
	f.text(&w.Operation, "op", "NAME", "only those of an operation; a * behind it takes all that begin so")
	f.text(&scope, "scope", "TEXT", "only those of a scope")
	f.text(&w.Older, "older", "TIME", "only those claimed longer ago than that, as in 10m, 36h or 7d")
	f.number(&w.Limit, "limit", "N", "at most so many; default 100")
	f.text(&w.After, "after", "PLACE", "go on where an earlier list has ended")
	s.keyFlag(f)
	s.flags(f)
	return func(ctx context.Context, _ []string, stdout, stderr io.Writer) error {
		if f.given("scope") {
			w.Scope = &scope
		}
		return s.at(ctx, stdout, stderr, func(d *claims.Desk, _ *postgres.Store) error { return d.List(ctx, w) })
	}
}

func setupClaimsShow(f *flags) action {
	var s sitting
	var w claims.ShowWish
	named(f, &w.Name)
	f.on(&w.Result, "result", "show the stored result, where idem.lock says that nothing in it is secret")
	f.text(&w.Dir, "C", "DIR", "the module with the idem.lock is that of DIR")
	s.keyFlag(f)
	s.flags(f)
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		if err := id(args, &w.Name); err != nil {
			return err
		}
		return s.at(ctx, stdout, stderr, func(d *claims.Desk, _ *postgres.Store) error { return d.Show(ctx, w) })
	}
}

// decision is the setup of a verb that changes a claim.
func decision(a idem.Action) func(*flags) action {
	return func(f *flags) action {
		var s sitting
		w := claims.DecideWish{Action: a}
		if r := &w.Result; a == idem.ActionComplete {
			f.text(&r.File, "result", "FILE", "the result; - is the standard input")
			f.on(&r.None, "noresult", "nobody knows the result; callers are told that it happened")
			f.text(&r.Codec, "codec", "NAME", "the codec that the result is in, where idem.lock can't say")
			f.text(&r.Shape, "shape", "HASH", "the shape that it has")
		}
		if a == idem.ActionComplete || a == idem.ActionNotHappened {
			f.text(&w.Result.TTL, "ttl", "TIME", "keep it for so long, or forever; default as idem.lock says, or 24h")
			f.text(&w.Result.Dir, "C", "DIR", "the module with the idem.lock is that of DIR")
		}
		f.text(&w.Why, "why", "TEXT", "why you do it; it is written down, so leave keys and results out")
		f.text(&w.Who, "who", "TEXT", "who you are; default user@host")
		if a == idem.ActionHold || a == idem.ActionRelease {
			f.on(&w.Force, "force", "do it although it may do harm")
		}
		f.on(&w.Yes, "yes", "don't ask")
		named(f, &w.Name)
		s.keyFlag(f)
		s.flags(f)
		return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
			if err := id(args, &w.Name); err != nil {
				return err
			}
			return s.at(ctx, stdout, stderr, func(d *claims.Desk, _ *postgres.Store) error {
				if w.Result.File == "-" {
					d.In = os.Stdin
				}
				return d.Decide(ctx, w)
			})
		}
	}
}

func setupClaimsStats(f *flags) action {
	var s sitting
	s.flags(f)
	return func(ctx context.Context, _ []string, stdout, stderr io.Writer) error {
		return s.at(ctx, stdout, stderr, func(d *claims.Desk, _ *postgres.Store) error { return d.Stats(ctx) })
	}
}

func setupClaimsAudit(f *flags) action {
	var s sitting
	w := claims.AuditWish{Limit: 100}
	f.text(&w.Operation, "op", "NAME", "only what was decided about an operation's claims")
	f.number(&w.Limit, "limit", "N", "at most so many; default 100")
	s.keyFlag(f)
	s.flags(f)
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		if err := id(args, &w.Name); err != nil {
			return err
		}
		return s.at(ctx, stdout, stderr, func(d *claims.Desk, _ *postgres.Store) error { return d.Audit(ctx, w) })
	}
}

func setupClaimsSweep(f *flags) action {
	var s sitting
	var w claims.SweepWish
	f.on(&w.Yes, "yes", "don't ask")
	s.flags(f)
	return func(ctx context.Context, _ []string, stdout, stderr io.Writer) error {
		return s.at(ctx, stdout, stderr, func(d *claims.Desk, store *postgres.Store) error { return d.Sweep(ctx, store, w) })
	}
}
