package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
)

// This file is about errors of drivers that are not imported, by types made like theirs. The module lab/sqlite has the real ones.

// withMethod is made like the error of modernc.org/sqlite.
type withMethod struct{ code int }

func (e *withMethod) Error() string { return "it failed" }
func (e *withMethod) Code() int     { return e.code }

type (
	short uint8
	long  uint16
)

// withMethods is made like the error of ncruces/go-sqlite3.
type withMethods struct{ code long }

func (e *withMethods) Error() string      { return "it failed" }
func (e *withMethods) Code() short        { return short(e.code) }
func (e *withMethods) ExtendedCode() long { return e.code }

// withFields is made like the error of mattn/go-sqlite3.
type withFields struct {
	Code         fieldCode
	ExtendedCode fieldCode
}

type fieldCode int

func (e withFields) Error() string { return "it failed" }

// otherwise has a Code that is no number, and one that asks for something.
type otherwise struct{ Code string }

func (otherwise) Error() string               { return "it failed" }
func (otherwise) ExtendedCode(digits int) int { return digits }

func TestTheCodeIsFoundInTheErrorsOfAllDrivers(t *testing.T) {
	t.Parallel()
	const busySnapshot = 5 | 2<<8
	for name, tc := range map[string]struct {
		err  error
		want code
	}{
		"none":                   {nil, 0},
		"method":                 {&withMethod{busySnapshot}, busySnapshot},
		"methods":                {&withMethods{busySnapshot}, busySnapshot},
		"fields":                 {withFields{5, busySnapshot}, busySnapshot},
		"fields, by pointer":     {&withFields{5, 0}, 5},
		"wrapped":                {fmt.Errorf("preparing: %w", &withMethod{13}), 13},
		"joined":                 {errors.Join(errors.New("other"), withFields{8, 0}), 8},
		"text":                   {errors.New("sqlite: step: database is locked"), codeBusy},
		"text with capitals":     {errors.New("disk I/O error"), codeIO},
		"another error":          {errors.New("no route to host"), 0},
		"other methods":          {otherwise{"5"}, 0},
		"a nil pointer inside":   {errors.Join(errNil), 0},
		"context":                {context.Canceled, 0},
		"a code that is success": {&withMethod{0}, 0},
	} {
		if got := codeOf(tc.err); got != tc.want {
			t.Errorf("%s: code %d, want %d", name, got, tc.want)
		}
	}
}

var errNil error = (*nothing)(nil)

// nothing is an error whose nil pointer is one, too.
type nothing withMethod

func (*nothing) Error() string { return "it failed" }
func (e *nothing) Code() int   { return e.code }

func TestWhatAFailureMeans(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tc := range map[string]struct {
		ctx  context.Context
		err  error
		want idem.StoreError
	}{
		"busy":           {err: &withMethod{5}, want: idem.StoreError{Reason: "SQLITE_BUSY", Temporary: true}},
		"locked":         {err: &withMethod{6 | 1<<8}, want: idem.StoreError{Reason: "SQLITE_BUSY", Temporary: true}},
		"full":           {err: &withMethod{13}, want: idem.StoreError{Reason: "SQLITE_FULL", Temporary: true, TooMuch: true}},
		"read-only":      {err: &withMethod{8 | 4<<8}, want: idem.StoreError{Reason: "SQLITE_READONLY, 1032"}},
		"constraint":     {err: withFields{19, 275}, want: idem.StoreError{Reason: "SQLITE_CONSTRAINT, 275", TooMuch: true}},
		"corrupt":        {err: &withMethods{11}, want: idem.StoreError{Reason: "SQLITE_CORRUPT"}},
		"disk":           {err: &withMethod{10 | 4<<8}, want: idem.StoreError{Reason: "SQLITE_IOERR, 1034", Temporary: true}},
		"no table":       {err: errors.New("SQL logic error: no such table: idem_claims (1)"), want: idem.StoreError{Reason: "run sqlite.Migrate", NotApplied: true}},
		"another table":  {err: errors.New("near \"x\": syntax error"), want: idem.StoreError{Reason: "SQLITE_ERROR"}},
		"a rare code":    {err: &withMethod{22}, want: idem.StoreError{Reason: "code 22"}},
		"no code at all": {err: errors.New("cannot encode 'k3y'"), want: idem.StoreError{Reason: "the database driver failed", TooMuch: true}},
		"a lost one":     {err: driver.ErrBadConn, want: idem.StoreError{Reason: "the connection to the database was lost", Temporary: true}},
		"cancelled":      {ctx: over, err: context.Canceled, want: idem.StoreError{Reason: "the call was cancelled", Temporary: true}},
	} {
		ctx := tc.ctx
		if ctx == nil {
			ctx = t.Context()
		}
		e, ok := errors.AsType[*idem.StoreError](failure(ctx, tc.err, tc.want.NotApplied))
		if !ok || !strings.Contains(e.Reason, tc.want.Reason) || e.Temporary != tc.want.Temporary || e.NotApplied != tc.want.NotApplied ||
			e.TooMuch != tc.want.TooMuch || e.Locked {
			t.Errorf("%s: got %+v, want %+v", name, *e, tc.want)
		}
		if !errors.Is(e, tc.err) {
			t.Errorf("%s: the driver's error is lost", name)
		}
		if strings.Contains(e.Error(), "k3y") {
			t.Errorf("%s: the reason quotes the driver", name)
		}
	}
}

// A value that was never sent can't have been too much.
func TestAConnectionThatCannotBeOpenedIsNoReasonToStoreLess(t *testing.T) {
	t.Parallel()
	failed := notAcquired(t.Context(), errors.New("no such folder"), sql.DBStats{})
	e, ok := errors.AsType[*idem.StoreError](failed)
	if !ok || e.TooMuch || !e.Temporary || !e.NotApplied || !strings.Contains(e.Reason, "can't be opened") {
		t.Errorf("got %+v", e)
	}
}
