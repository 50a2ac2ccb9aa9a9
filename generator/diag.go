package generator

import (
	"cmp"
	"fmt"
	"slices"
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
	File     string   `json:"file"` // relative to the working directory where it lies below it
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

// sortDiagnostics orders by place and drops what is said twice.
func sortDiagnostics(ds []Diagnostic) []Diagnostic {
	slices.SortFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Text, b.Text),
		)
	})
	return slices.Compact(ds)
}
