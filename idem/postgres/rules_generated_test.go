package postgres_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// This file holds what is really sent to the rule about owners: the texts and arguments that sqlc wrote, and everything else in the
// package's Go that looks like SQL.

// sources are the Go files of a directory, tests left out.
func sources(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no Go files in %s: %v", dir, err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// texts are the string literals in a node.
func texts(t *testing.T, n ast.Node) (found []string) {
	t.Helper()
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, text)
		}
		return true
	})
	return found
}

// arguments are what the generated method of a query binds to $1, $2, …: the names of the parameters' fields.
func arguments(files []*ast.File, query string) (names []string) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			if text, ok := call.Args[1].(*ast.Ident); !ok || text.Name != query {
				return true
			}
			for _, a := range call.Args[2:] {
				switch a := a.(type) {
				case *ast.SelectorExpr:
					names = append(names, a.Sel.Name)
				case *ast.Ident:
					names = append(names, a.Name)
				default:
					names = append(names, "?")
				}
			}
			return false
		})
	}
	return names
}

// flat is a condition without what is in parentheses, so that what it says is said of every row.
func flat(condition string) string {
	inner := regexp.MustCompile(`\([^()]*\)`)
	for inner.MatchString(condition) {
		condition = inner.ReplaceAllString(condition, "")
	}
	return condition
}

// TestI2_WhatIsSentComparesTheOwner follows each comparison to the argument that is bound to it.
func TestI2_WhatIsSentComparesTheOwner(t *testing.T) {
	t.Parallel()
	files, changes := sources(t, "internal/db"), 0
	head := regexp.MustCompile(`^-- name: (\w+) :\w+\n`)
	for _, f := range files {
		for _, text := range texts(t, f) {
			m := head.FindStringSubmatch(text)
			if m == nil || m[1] == swept || !changing(text) {
				continue
			}
			name, changed := m[1], strings.TrimPrefix(text, m[0])
			changes++
			where := flat(chooses(name, changed))
			if strings.Contains(where, "f.owner = asked.owner") { // of Renew, whose owners come in an array
				where = regexp.MustCompile(`unnest\((\$\d+)::uuid\[\]\) AS owner`).ReplaceAllString(changed, "owner = $1")
			}
			compared := comparing.FindStringSubmatch(where)
			if compared == nil || strings.Contains(where, " OR ") {
				t.Errorf("%s does not compare the owner: %s", name, changed)
				continue
			}
			number, _ := strconv.Atoi(compared[3])
			if bound := arguments(files, name); number < 1 || number > len(bound) || !regexp.MustCompile(`^(Owners?|Seen)$`).MatchString(bound[number-1]) {
				t.Errorf("%s compares the owner with argument %d of %v", name, number, bound)
			}
		}
	}
	if generated := len(queries(t)); changes < 7 || changes > generated {
		t.Errorf("%d of %d statements change rows", changes, generated)
	}
}

// TestI2_NoStatementIsWrittenBesideTheQueries: what changes rows is in queries/, where the rules are looked after.
func TestI2_NoStatementIsWrittenBesideTheQueries(t *testing.T) {
	t.Parallel()
	for _, f := range sources(t, ".") {
		for _, text := range texts(t, f) {
			if changing(text) || strings.Contains(text, "INSERT INTO idem_claims") {
				t.Errorf("a statement of its own: %s", text)
			}
		}
	}
	migrations, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(migrations) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	rule := regexp.MustCompile(`(?i)\bCREATE\s+(OR\s+REPLACE\s+)?(CONSTRAINT\s+)?(TRIGGER|RULE|FUNCTION|PROCEDURE)\b`)
	for _, path := range migrations {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if changing(string(text)) || rule.Match(text) {
			t.Errorf("%s changes rows, or lets the database do so", path)
		}
	}
}
