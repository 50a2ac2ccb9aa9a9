package templates

import (
	"fmt"
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
	text := Schema() + Drop()
	for _, step := range Steps() {
		text += step.Up + step.Down
	}
	for line := range strings.Lines(text) {
		_, comment, _ := strings.Cut(line, "--")
		if strings.Contains(comment, ";") || strings.Contains(line, "{{") {
			t.Errorf("a semicolon in a comment, or a template: %s", line)
		}
	}
}

// The files that Migrate applies one by one and those that init writes must lead to one version, or each would undo the other's work.
func TestStarterSchemaSaysItsVersions(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../idem/postgres/migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no migrations were found")
	}
	steps := Steps()
	if len(steps) != len(files)-1 {
		t.Fatalf("the schema has %d versions: Steps has to have the steps from the first one, and has %d", len(files), len(steps))
	}
	versions := []string{"(1)"}
	for i, step := range steps {
		text, err := os.ReadFile(files[i+1])
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, fmt.Sprintf("(%d)", step.Version))
		said := fmt.Sprintf("\nINSERT INTO idem_migrations (version) VALUES (%d);\n", step.Version)
		if step.Version != i+2 || step.Up != string(text)+said {
			t.Errorf("step %d is not %s and its version", i, files[i+1])
		}
		if !strings.Contains(step.Up, "CREATE TABLE "+step.Table+" (") || !strings.Contains(step.Down, "DROP TABLE "+step.Table+";") ||
			!strings.Contains(step.Down, fmt.Sprintf("DELETE FROM idem_migrations WHERE version = %d;", step.Version)) {
			t.Errorf("step %d does not make and take back %s", i, step.Table)
		}
	}
	if !strings.HasSuffix(Schema(), "\nINSERT INTO idem_migrations (version) VALUES "+strings.Join(versions, ", ")+";\n") {
		t.Error("schema.sql does not end by saying its versions")
	}
}
