package generator

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestCodesAreSound(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^IDEM\d{3}$`)
	for i, c := range Codes() {
		if !form.MatchString(c.ID) || i > 0 && c.ID <= Codes()[i-1].ID {
			t.Errorf("%s is malformed or out of order", c.ID)
		}
		if c.Title == "" || !strings.HasSuffix(c.Cause, ".") || !strings.HasSuffix(c.Mend, ".") {
			t.Errorf("%s is not explained in sentences: %+v", c.ID, c)
		}
		if got, ok := Explain(c.ID); !ok || got != c {
			t.Errorf("Explain(%s) = %+v, %t", c.ID, got, ok)
		}
		if _, ok := c.Example(); !ok {
			t.Errorf("%s has no example. Write examples/%s.txtar with an input that brings it about (files below wrong/), the same input mended (files below mended/) "+
				"and an empty file called says; then make examples fills that in and writes docs/diagnostics.md. examples/IDEM015.txtar is a simple one, IDEM070.txtar has a command line", c.ID, c.ID)
		}
	}
	if c, ok := Explain("IDEM999"); ok {
		t.Errorf("Explain(IDEM999) = %+v", c)
	}
}

// Every code that the generator's source mentions is in the table, and every one in the table is used.
func TestCodesAreUsed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var used, table strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case name == "codes.go":
			table.Write(text)
		case !strings.HasSuffix(name, "_test.go"):
			used.Write(text)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(code\w+) += "(IDEM\d{3})"`).FindAllStringSubmatch(table.String(), -1) {
		if !regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(used.String()) {
			t.Errorf("%s (%s) is used nowhere", m[1], m[2])
		}
		if _, ok := Explain(m[2]); !ok {
			t.Errorf("%s (%s) is not explained", m[1], m[2])
		}
	}
}

func TestDiagnosticsAreSaidOnceAndInOrder(t *testing.T) {
	t.Parallel()
	d := func(file string, line, col int, s Severity, code string) Diagnostic {
		return Diagnostic{File: file, Line: line, Col: col, Severity: s, Code: code, Text: "text"}
	}
	got := sortDiagnostics([]Diagnostic{
		d("b.go", 1, 1, Error, "IDEM001"), d("a.go", 10, 2, Error, "IDEM002"), d("a.go", 10, 2, Error, "IDEM001"), d("a.go", 9, 3, Warning, "IDEM003"),
		d("a.go", 10, 2, Warning, "IDEM004"), d("a.go", 10, 1, Error, "IDEM005"), d("b.go", 1, 1, Error, "IDEM001"),
	})
	var codes []string
	for _, x := range got {
		codes = append(codes, x.Code)
	}
	if want := []string{"IDEM003", "IDEM005", "IDEM001", "IDEM004", "IDEM001"}; !slices.Equal(codes, want) {
		t.Errorf("%v, want %v", codes, want)
	}
	if s := got[0].String(); s != "a.go:9:3: warning: text [IDEM003]" {
		t.Errorf("a diagnostic reads %s", s)
	}
}
