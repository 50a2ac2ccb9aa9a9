// Package claims is what "idemgen claims" does: it shows people the claims in a database, and carries out what they decide about those of
// which no program knows what became. The command itself only reads flags.
//
// What it prints holds no connection string, no key unless keys are asked for, and no result unless that is asked for and may be seen.
package claims

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is what all verbs share: the database, where output goes, and how a claim is named.

// UsageError is a command line that can't be carried out as it is. Its text ends with what to do.
type UsageError struct{ Text string }

func (e UsageError) Error() string { return e.Text }

func usage(format string, args ...any) error { return UsageError{fmt.Sprintf(format, args...)} }

// Desk is where a person sits: what he looks at, and what he types.
type Desk struct {
	Admin idem.Admin
	Out   io.Writer // what was asked for
	Err   io.Writer // what is about to happen, and questions
	In    io.Reader // answers; nil: nobody is there to answer
	JSON  bool      // Out is for programs
	Keys  bool      // keys are shown
}

// variables are those of the environment that say which database is meant, the first one that is set before the others.
var variables = []string{"IDEMGEN_DATABASE_URL", "DATABASE_URL"}

// Open finds the database: at the address, or where the environment says. Nothing is sent yet.
func Open(ctx context.Context, address string) (*postgres.Store, func(), error) {
	for _, v := range variables {
		if address == "" {
			address = os.Getenv(v)
		}
	}
	if address == "" && os.Getenv("PGHOST") == "" && os.Getenv("PGDATABASE") == "" && os.Getenv("PGSERVICE") == "" {
		return nil, nil, usage("which database? Set IDEMGEN_DATABASE_URL, DATABASE_URL or PGHOST and PGDATABASE, or give -db")
	}
	cfg, err := pgxpool.ParseConfig(address)
	if err != nil { // which quotes the address
		return nil, nil, usage("the database's address can't be read; it is a URL as in postgres://user@host:5432/name, or pairs as in host=… dbname=…")
	}
	cfg.MaxConns = 2
	postgres.Configure(cfg)
	if cfg.ConnConfig.ConnectTimeout == 0 {
		cfg.ConnConfig.ConnectTimeout = 10 * time.Second
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, nil, errors.New("the database's settings can't be used")
	}
	store := postgres.NewStore(pool, postgres.WithLogger(slog.New(slog.DiscardHandler)), postgres.WithAcquireTimeout(15*time.Second))
	return store, func() {
		_ = store.Close()
		pool.Close()
	}, nil
}

// Name is how a claim is named: by the beginning of its id, or by what the caller sent.
type Name struct {
	ID                    string
	Operation, Scope, Key string
}

// find is the one claim that is meant.
func (d *Desk) find(ctx context.Context, n Name, results bool) (idem.ClaimList, error) {
	if (n.ID == "") == (n.Key == "") {
		return idem.ClaimList{}, usage("name one claim: by its id as claims list prints it, or by -op, -scope and -key")
	}
	if n.Key != "" {
		if n.Operation == "" {
			return idem.ClaimList{}, usage("a key alone names no claim; add -op, and -scope where the operation has one")
		}
		n.ID = idem.RowID(idem.Ref{Operation: n.Operation, Scope: n.Scope, Key: n.Key}).String()
	}
	f := idem.ClaimFilter{ID: trimHash(n.ID), Limit: 2, Results: results}
	if _, _, ok := f.IDs(); !ok || f.ID == "" {
		return idem.ClaimList{}, usage("%s is not the beginning of an id; claims list prints them", n.ID)
	}
	l, err := d.Admin.List(ctx, f)
	switch {
	case err != nil:
		return l, err
	case len(l.Claims) == 0 && n.Key != "":
		return l, errors.New("there is no such claim: its operation, scope or key is another, or it was released or swept")
	case len(l.Claims) == 0:
		return l, fmt.Errorf("no claim's id begins with %s", f.ID)
	case len(l.Claims) > 1 || l.More:
		return l, fmt.Errorf("several claims' ids begin with %s: %s and others; give more of it", f.ID, l.Claims[0].ID)
	}
	return l, nil
}

// trimHash takes the sign off with which errors and events mark the beginning of an id.
func trimHash(id string) string {
	if id != "" && id[0] == '#' {
		return id[1:]
	}
	return id
}
