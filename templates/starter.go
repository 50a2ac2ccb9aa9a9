package templates

import (
	_ "embed"
	"strings"
	"text/template"
)

// This file holds the texts that "idemgen init" writes into a user's module: an annotated example with its test, and the SQL of the
// table. The SQL is a copy of the repository's schema.sql and of the store's migrations, which can't be embedded from here; a test compares
// them.

var (
	//go:embed starter/example.go.txt
	exampleText string
	//go:embed starter/example_test.go.txt
	exampleTestText string
	//go:embed starter/schema.sql
	schema string
	//go:embed starter/drop.sql
	drop string
	//go:embed starter/step_2.sql
	step2 string
	//go:embed starter/back_2.sql
	back2 string
)

// Schema is the SQL that makes the table of claims and what belongs to it.
func Schema() string { return schema }

// Drop is the SQL that takes it away again.
func Drop() string { return drop }

// Step is one version of the schema further, for those who have the version before.
type Step struct {
	Version int
	Table   string // what it makes, which tells that it was taken
	Up      string
	Down    string
}

// Steps are those behind the first version, in order.
func Steps() []Step { return []Step{{2, "idem_audit", step2, back2}} }

// Starter is what the example depends on.
type Starter struct {
	Package  string // the name of its package
	Generate bool   // write the //go:generate line; a package has one
}

// Example is the example's source, and that of its test.
func (s Starter) Example() (source, test string) {
	return s.fill(exampleText), s.fill(exampleTestText)
}

func (s Starter) fill(text string) string {
	var b strings.Builder
	if err := template.Must(template.New("").Parse(text)).Execute(&b, s); err != nil {
		panic(err) // the texts are ours, and a test fills them
	}
	return b.String()
}
