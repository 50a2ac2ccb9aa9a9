package generator

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// This file is what a run says to its user.

// Severity of a diagnostic.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Diagnostic is one message at one place.
type Diagnostic struct {
	File     string   `json:"file"` // relative to the working directory, unless the full name is shorter
	Line     int      `json:"line"`
	Col      int      `json:"col"` // in bytes, from 1
	Severity Severity `json:"severity"`
	Code     string   `json:"code"` // IDEMnnn
	Text     string   `json:"text"`
}

// String is the line people see.
func (d Diagnostic) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s [%s]", d.File, d.Line, d.Col, d.Severity, d.Text, d.Code)
}

// sortDiagnostics orders by place and says one thing at a time of each: what is wrong there is mostly wrong for one reason.
func sortDiagnostics(ds []Diagnostic) []Diagnostic {
	slices.SortFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Text, b.Text),
		)
	})
	return slices.CompactFunc(ds, func(a, b Diagnostic) bool {
		return a.File == b.File && a.Line == b.Line && a.Col == b.Col && a.Severity == b.Severity
	})
}

// report collects, in any order, what a run says.
type report struct {
	dir    string // what paths are relative to
	found  []Diagnostic
	notes  map[string]bool
	failed map[string]bool // folders whose package has an error: nothing is written there
	on     map[line]string // the lines with an //idem:on, and the methods that they are about
}

// line is one in a file.
type line struct {
	file string
	line int
}

func newReport(dir string) *report {
	return &report{dir: dir, notes: map[string]bool{}, failed: map[string]bool{}, on: map[line]string{}}
}

// errorf notes an error of the package in folder pkg.
func (r *report) errorf(pkg string, at token.Position, code, format string, args ...any) {
	r.failed[pkg] = true
	r.add(at, Error, code, fmt.Sprintf(format, args...))
}

func (r *report) warnf(at token.Position, code, format string, args ...any) {
	r.add(at, Warning, code, fmt.Sprintf(format, args...))
}

func (r *report) add(at token.Position, s Severity, code, text string) {
	if method, ok := r.on[line{at.Filename, at.Line}]; ok {
		text = onForm(text, method)
	}
	r.found = append(r.found, Diagnostic{
		File: relative(r.dir, at.Filename), Line: max(at.Line, 1), Col: max(at.Column, 1),
		Severity: s, Code: code, Text: text,
	})
}

// notef says something that is no diagnostic.
func (r *report) notef(format string, args ...any) {
	r.notes[fmt.Sprintf(format, args...)] = true
}

// place is a position as messages name it.
func (r *report) place(at token.Position) string {
	return fmt.Sprintf("%s:%d:%d", relative(r.dir, at.Filename), at.Line, at.Column)
}

// relative is path as seen from dir, where that is the shorter name.
func relative(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

// list is "a", "a and b", "a, b and c", each as code; of many only the first are named.
func list(names []string) string {
	const most = 8
	var quoted []string
	for _, n := range names {
		quoted = append(quoted, "`"+n+"`")
	}
	if more := len(names) - most; more > 1 {
		quoted = append(quoted[:most], fmt.Sprintf("%d more", more))
	}
	return enumerate(quoted)
}

// enumerate is "a", "a and b", "a, b and c".
func enumerate(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " and " + items[last]
}
