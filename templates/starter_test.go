package templates

import (
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestStarterIsFormatted(t *testing.T) {
	t.Parallel()
	for _, s := range []Starter{{Package: "pay", Generate: true}, {Package: "main"}} {
		source, test := s.Example()
		for _, text := range []string{source, test} {
			formatted, err := format.Source([]byte(text))
			if err != nil || string(formatted) != text || !strings.HasPrefix(text, "package "+s.Package+"\n") {
				t.Errorf("%+v: %v\n%s", s, err, text)
			}
		}
		if strings.Contains(source, "//go:generate go tool idemgen .\n") != s.Generate {
			t.Errorf("%+v: the go:generate line in\n%s", s, source)
		}
	}
}

func TestStarterSchemaIsTheSchema(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("../schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	if Schema() != string(want) {
		t.Error("templates/starter/schema.sql is not schema.sql; copy it: cp schema.sql templates/starter/")
	}
	for _, m := range regexp.MustCompile(`(?m)^CREATE (\w+) (\w+)`).FindAllStringSubmatch(Schema(), -1) {
		if !strings.Contains(Drop(), "DROP "+m[1]+" "+m[2]+";") {
			t.Errorf("drop.sql leaves %s %s", m[1], m[2])
		}
	}
}

// Some migration tools cut files at semicolons wherever they are, and fill in templates.
func TestStarterSchemaSuitsSimpleParsers(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(Schema() + Drop()) {
		_, comment, _ := strings.Cut(line, "--")
		if strings.Contains(comment, ";") || strings.Contains(line, "{{") {
			t.Errorf("a semicolon in a comment, or a template: %s", line)
		}
	}
}

// The files that Migrate applies one by one and the one that init writes must lead to one version, or each would undo the other's work.
func TestStarterSchemaSaysItsVersion(t *testing.T) {
	t.Parallel()
	steps, err := filepath.Glob("../idem/postgres/migrations/*.sql")
	if err != nil || len(steps) == 0 {
		t.Fatal("no migrations were found")
	}
	if len(steps) > 1 {
		t.Error("there is a second version of the schema: idemgen init has to write the step to it where the first is there")
	}
	if !strings.HasSuffix(Schema(), "\nINSERT INTO idem_migrations (version) VALUES (1);\n") {
		t.Error("schema.sql does not end by saying its version")
	}
}
