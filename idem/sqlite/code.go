package sqlite

import (
	"errors"
	"reflect"
	"strings"
)

// This file finds SQLite's result code in the error of a driver that it does not know. Drivers have a type of their own for it, with the
// code as a method (modernc.org/sqlite, ncruces/go-sqlite3) or a field (mattn/go-sqlite3); where neither is found, SQLite's
// own messages say enough.

// code is one of SQLite's result codes. The lower eight bits are the primary one.
type code int

// The primary result codes that mean something here.
const (
	codeError      code = 1
	codePermission code = 3
	codeBusy       code = 5
	codeLocked     code = 6
	codeNoMemory   code = 7
	codeReadOnly   code = 8
	codeInterrupt  code = 9
	codeIO         code = 10
	codeCorrupt    code = 11
	codeFull       code = 13
	codeCantOpen   code = 14
	codeProtocol   code = 15
	codeSchema     code = 17
	codeTooBig     code = 18
	codeConstraint code = 19
	codeMismatch   code = 20
	codeAuthorizer code = 23
	codeNotADB     code = 26
)

func (c code) primary() code { return c & 0xff }

// messages are the beginnings of SQLite's own texts for a code, for drivers whose errors have no code to be found.
var messages = []struct {
	text string
	code code
}{
	{"database is locked", codeBusy},
	{"database table is locked", codeLocked},
	{"database schema is locked", codeLocked},
	{"attempt to write a readonly database", codeReadOnly},
	{"disk i/o error", codeIO},
	{"database disk image is malformed", codeCorrupt},
	{"database or disk is full", codeFull},
	{"unable to open database file", codeCantOpen},
	{"locking protocol", codeProtocol},
	{"string or blob too big", codeTooBig},
	{"constraint failed", codeConstraint},
	{"datatype mismatch", codeMismatch},
	{"file is not a database", codeNotADB},
	{"no such table", codeError},
	{"no such column", codeError},
	{"has no column named", codeError},
	{"syntax error", codeError},
}

// codeOf is the result code in err, or 0.
func codeOf(err error) code {
	if err == nil {
		return 0
	}
	if c := codeOfType(err); c != 0 {
		return c
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if c := codeOf(e.Unwrap()); c != 0 {
			return c
		}
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			if c := codeOf(one); c != 0 {
				return c
			}
		}
	}
	said := strings.ToLower(err.Error())
	for _, m := range messages {
		if strings.Contains(said, m.text) {
			return m.code
		}
	}
	return 0
}

// codeOfType is the code that err itself has as a method or a field, if it is the error of a driver for SQLite.
func codeOfType(err error) code {
	v := reflect.ValueOf(err)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return 0
	}
	if !strings.Contains(reflect.Indirect(v).Type().PkgPath(), "sql") {
		return 0
	}
	for _, name := range []string{"ExtendedCode", "Code"} {
		if c := numberOf(v, name); c != 0 {
			return c
		}
	}
	return 0
}

// numberOf is the integer that a method or field of v gives, or 0.
func numberOf(v reflect.Value, name string) code {
	if m := v.MethodByName(name); m.IsValid() && m.Type().NumIn() == 0 && m.Type().NumOut() == 1 {
		return integer(m.Call(nil)[0])
	}
	v = reflect.Indirect(v)
	if v.Kind() != reflect.Struct {
		return 0
	}
	if f := v.FieldByName(name); f.IsValid() {
		return integer(f)
	}
	return 0
}

func integer(v reflect.Value) code {
	switch {
	case v.CanInt():
		return code(v.Int())
	case v.CanUint():
		return code(v.Uint())
	default:
		return 0
	}
}

// isBusy reports whether err says that somebody else has the database locked, and that waiting may help.
func isBusy(err error) bool {
	if errors.Is(err, errOwnQueue) {
		return true
	}
	c := codeOf(err).primary()
	return c == codeBusy || c == codeLocked
}
