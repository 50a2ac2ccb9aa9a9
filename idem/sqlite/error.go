package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/idem"
)

// This file says of every failure what it was, whether the step can have been applied, and whether sending it again may
// help. Reasons are our own words: a driver's may quote what was to be stored.

// SchemaError says that the database's tables are not those this package works with. It is found with errors.As in the errors of
// the store and of keyed calls.
type SchemaError struct {
	Problem string
	Err     error // the driver's
}

// Error says what is wrong and what to run.
func (e *SchemaError) Error() string { return e.Problem + ": run sqlite.Migrate" }

// Unwrap is the driver's error.
func (e *SchemaError) Unwrap() error { return e.Err }

func schemaFailure(problem string, err error) error {
	e := &SchemaError{Problem: problem, Err: err}
	return &idem.StoreError{Reason: e.Error(), NotApplied: true, Err: e}
}

// schemaProblems are the messages that mean so. SQLite has one code for them and for all other mistakes in a statement.
var schemaProblems = []struct{ message, problem string }{
	{"no such table", "a table of idemgen is missing (idem_claims, idem_fence, idem_audit or the view idem_clock)"},
	{"no such column", "the table idem_claims is older than this program, and lacks a column"},
	{"has no column named", "the table idem_claims is older than this program, and lacks a column"},
	{"does not match any primary key or unique constraint", "the table idem_claims has lost its unique id"},
}

// meaning is what a result code says.
type meaning struct {
	name, reason string
	temporary    bool
}

var meanings = map[code]meaning{
	codeError:      {"SQLITE_ERROR", "the database refused the statement", false},
	codePermission: {"SQLITE_PERM", "this user may not use the database file", false},
	codeBusy:       {"SQLITE_BUSY", "the database file was locked by another writer for too long", true},
	codeLocked:     {"SQLITE_LOCKED", "the database was locked by another connection of this process for too long", true},
	codeNoMemory:   {"SQLITE_NOMEM", "there was not enough memory", true},
	codeReadOnly:   {"SQLITE_READONLY", "the database is read-only: its file, its folder, or the connection", false},
	codeInterrupt:  {"SQLITE_INTERRUPT", "the statement was interrupted", true},
	codeIO:         {"SQLITE_IOERR", "the disk failed", true},
	codeCorrupt:    {"SQLITE_CORRUPT", "the database file is damaged", false},
	codeFull:       {"SQLITE_FULL", "the disk is full, or the database as large as it may be", true},
	codeCantOpen:   {"SQLITE_CANTOPEN", "the database file can't be opened", false},
	codeProtocol:   {"SQLITE_PROTOCOL", "the database file was locked in a way that does not end", true},
	codeSchema:     {"SQLITE_SCHEMA", "the tables were changed meanwhile", true},
	codeTooBig:     {"SQLITE_TOOBIG", "the value is larger than the database takes", false},
	codeConstraint: {"SQLITE_CONSTRAINT", "a constraint of the table refused the row", false},
	codeMismatch:   {"SQLITE_MISMATCH", "the table refused the type of a value", false},
	codeAuthorizer: {"SQLITE_AUTH", "this connection may not do that", false},
	codeNotADB:     {"SQLITE_NOTADB", "the file is not a SQLite database, or it is encrypted", false},
}

// tooMuch are the codes that are about the values that were to be stored.
var tooMuch = map[code]bool{codeFull: true, codeTooBig: true, codeConstraint: true, codeMismatch: true}

// errLocked is found in the error of a step that gave up waiting for another writer.
var errLocked = errors.New("the database is locked")

// errOwnQueue says that the other writers are of this process.
var errOwnQueue = errors.New("other steps of this process are writing")

// failure is err as the engine wants to hear of it, or nil. NotApplied says that the step certainly had no effect.
func failure(ctx context.Context, err error, notApplied bool) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*idem.StoreError](err); ok {
		return e
	}
	c := codeOf(err)
	if problem := schemaProblem(err, c); problem != "" {
		return schemaFailure(problem, err)
	}
	e := &idem.StoreError{NotApplied: notApplied, Err: err}
	m, known := meanings[c.primary()]
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		e.Reason, e.Temporary = "the call was cancelled", true
	case isBusy(err):
		e.Err = errors.Join(errLocked, err)
		e.Reason, e.Temporary = "the database file was locked by another writer for too long (SQLITE_BUSY)", true
	case ctx.Err() != nil:
		e.Reason, e.Temporary = "the database did not answer in time", true
	case known:
		e.Reason, e.Temporary = fmt.Sprintf("%s (%s, %d)", m.reason, m.name, c), m.temporary
		e.TooMuch = tooMuch[c.primary()]
	case c != 0:
		e.Reason = fmt.Sprintf("the database refused the statement (SQLite's result code %d)", c)
	case errors.Is(err, sql.ErrConnDone), strings.Contains(err.Error(), "database is closed"):
		e.Reason = "the database was closed"
	case errors.Is(err, driver.ErrBadConn):
		e.Reason, e.Temporary = "the connection to the database was lost", true
	default:
		e.Reason, e.TooMuch = "the database driver failed", true // say, to take a value
	}
	return e
}

func schemaProblem(err error, c code) string {
	if c.primary() != codeError {
		return ""
	}
	said := strings.ToLower(err.Error())
	for _, p := range schemaProblems {
		if strings.Contains(said, p.message) {
			return p.problem
		}
	}
	return ""
}

// notAcquired is why the pool gave no connection. A full pool is named, because the symptom, every call slow and then
// failing, points everywhere but there.
func notAcquired(ctx context.Context, err error, stats sql.DBStats) error {
	full := stats.MaxOpenConnections > 0 && stats.InUse >= stats.MaxOpenConnections && errors.Is(err, context.DeadlineExceeded)
	if full && !errors.Is(ctx.Err(), context.Canceled) {
		return &idem.StoreError{
			Reason:    fmt.Sprintf("no connection came free: all %d of the pool are in use", stats.MaxOpenConnections),
			Temporary: true, NotApplied: true, Err: err,
		}
	}
	failed := failure(ctx, err, true)
	if e, ok := errors.AsType[*idem.StoreError](failed); ok && e.TooMuch && codeOf(err) == 0 { // no value was sent yet
		e.Reason, e.TooMuch, e.Temporary = "the database can't be opened", false, true
	}
	return failed
}
