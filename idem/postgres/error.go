package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/idem"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file says of every failure what it was, whether the step can have been applied, and whether sending it again may
// help. Reasons are our own words: the server's may quote a key.

// SchemaError says that the database's table is not the one this package works with. It is found with errors.As in the errors of
// the store and of keyed calls.
type SchemaError struct {
	Problem string
	Err     error // the server's
}

// Error says what is wrong and what to run.
func (e *SchemaError) Error() string {
	return e.Problem + ": run postgres.Migrate, or apply the migration that idemgen init -noexample writes"
}

// Unwrap is the server's error.
func (e *SchemaError) Unwrap() error { return e.Err }

// schemaProblems are the SQLSTATEs that mean so.
var schemaProblems = map[string]string{
	"42P01": "the table idem_claims or the sequence idem_fence_seq is missing",
	"42703": "the table idem_claims is older than this program, and lacks a column",
	"42P10": "the table idem_claims has lost its primary key",
}

// meaning is what an SQLSTATE, or a class of them, says.
type meaning struct {
	reason    string
	temporary bool
}

var meanings = map[string]meaning{
	"08":    {"the connection to the database was lost", true},
	"0A000": {"the database refused a plan made before its table was changed", true},
	"23":    {"the table idem_claims refused the row: it is newer than this program, or somebody changed it", false},
	"25006": {"the database is read-only: a standby, or set so", false},
	"25P04": {"the transaction took longer than the database allows", true},
	"25P03": {"the transaction was idle for too long", true},
	"26000": {"a prepared statement is missing: this pooler needs QueryExecModeCacheDescribe or QueryExecModeExec", true},
	"28":    {"the database refused the login", false},
	"3D000": {"there is no such database", false},
	"40":    {"the transaction met another one", true},
	"42501": {"this user may not use the table idem_claims or the sequence idem_fence_seq", false},
	"42P05": {"a prepared statement is there already: this pooler needs QueryExecModeCacheDescribe or QueryExecModeExec", true},
	"53":    {"the database is short of resources", true},
	"53100": {"the database's disk is full", true},
	"53300": {"the database has no connection left", true},
	"53400": {"a limit of the database's configuration was reached", false},
	"55P03": {"the row was locked for too long", true},
	"57":    {"the database is shutting down, starting, or recovering", true},
	"57014": {"the statement was cancelled, or took longer than the database allows", true},
	"57P04": {"the database was dropped", false},
	"57P05": {"the session was idle for too long", true},
}

// tooMuch are the classes of SQLSTATEs that are about the values that were to be stored.
var tooMuch = map[string]bool{"22": true, "23": true, "54": true}

// What an error means that has no SQLSTATE.
var (
	unreachable    = meaning{"the database can't be reached", true}
	connectionLost = meaning{"the connection to the database was lost", true}
	driverFailed   = meaning{"the database driver failed", false}
)

// failure is err as the engine wants to hear of it. NotApplied says that the step certainly had no effect. Otherwise is what
// err means when it does not say so itself.
func failure(err error, notApplied bool, otherwise meaning) error {
	e := &idem.StoreError{NotApplied: notApplied, Err: err}
	code, ok := sqlState(err)
	pg, ours := errors.AsType[*pgconn.PgError](err) // another driver's errors are only known by their state
	switch {
	case ok && schemaProblems[code] != "":
		schema := &SchemaError{Problem: schemaProblems[code], Err: err}
		e.Reason, e.Err = schema.Error(), schema
	case ours && refusedByPolicy(pg):
		e.Reason, e.Err = "row-level security refuses the key's row: is the tenant set on the pool's connections?", errors.Join(ErrRowSecurity, err)
	case errors.Is(err, errUnreplicated):
		e.Reason, e.Temporary = "the database gave up waiting for its standby, so what it did may be lost", true
	case ok:
		m := meaningOf(code)
		e.Reason, e.Temporary = fmt.Sprintf("%s (SQLSTATE %s)", m.reason, code), m.temporary
		e.Locked, e.TooMuch = code == "55P03", tooMuch[code[:min(2, len(code))]] || code == "53100"
	case errors.Is(err, context.Canceled):
		e.Reason, e.Temporary = "the call was cancelled", true
	case pgconn.Timeout(err), errors.Is(err, context.DeadlineExceeded):
		e.Reason, e.Temporary = "the database did not answer in time", true
	default:
		e.Reason, e.Temporary = otherwise.reason, otherwise.temporary
		e.TooMuch = otherwise == driverFailed // say, to encode a value
	}
	return e
}

// sqlState is what a server said, whichever driver passes it on.
func sqlState(err error) (code string, ok bool) {
	var e interface{ SQLState() string }
	if ok = errors.As(err, &e); ok {
		code = e.SQLState()
	}
	return code, ok
}

func meaningOf(code string) meaning {
	for _, known := range []string{code, code[:min(2, len(code))]} {
		if m, ok := meanings[known]; ok {
			return m
		}
	}
	return meaning{reason: "the database refused the statement"}
}

// notAcquired is why the pool gave no connection. A full pool is named, because the symptom, every call slow and then
// failing, points everywhere but there.
func notAcquired(ctx context.Context, err error, stat *pgxpool.Stat) error {
	full := stat.AcquiredConns() >= stat.MaxConns() && errors.Is(err, context.DeadlineExceeded)
	if full && !errors.Is(ctx.Err(), context.Canceled) {
		return &idem.StoreError{
			Reason:    fmt.Sprintf("no connection came free: all %d of the pool are in use", stat.MaxConns()),
			Temporary: true, NotApplied: true, Err: err,
		}
	}
	return failure(err, true, unreachable)
}
