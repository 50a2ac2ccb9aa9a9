package starter

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/templates"
)

var now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// tree makes a folder of the files, by their slash-separated paths.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		name := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// paths are those of the plan's files.
func paths(p *Plan) (list []string) {
	for _, f := range p.Files {
		list = append(list, filepath.ToSlash(f.Path))
	}
	return list
}

const mod = "module example.com/shop/v2\n\ngo 1.26\n"

func TestExampleFindsItsPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files  map[string]string
		folder string
		want   string // the files, with blanks between; else what the error says
		clause string // of the package
		next   string
	}{
		"an empty module":             {map[string]string{"go.mod": mod}, "", "payments.go payments_test.go", "shop", "go generate . && go test ."},
		"a new folder":                {map[string]string{"go.mod": mod}, "go-pay", "go-pay/payments.go go-pay/payments_test.go", "gopay", "go generate ./go-pay &&"},
		"a folder without a name":     {map[string]string{"go.mod": mod}, "2nd", "2nd/payments.go 2nd/payments_test.go", "payments", "./2nd"},
		"a keyword for a folder":      {map[string]string{"go.mod": mod}, "func", "func/payments.go func/payments_test.go", "payments", "./func"},
		"a package":                   {map[string]string{"go.mod": mod, "a.go": "package money\n"}, ".", "idem_example.go idem_example_test.go", "money", "go test ."},
		"a program":                   {map[string]string{"go.mod": mod, "main.go": "package main\n\nfunc main() {}\n"}, "", "idem_example.go idem_example_test.go", "main", "go test ."},
		"a package with only tests":   {map[string]string{"go.mod": mod, "a_test.go": "package money\n"}, "", "idem_example.go idem_example_test.go", "money", ""},
		"a tool without a constraint": {map[string]string{"go.mod": mod, "a.go": "package money\n", "gen.go": "//go:build ignore\n\npackage main\n"}, "", "idem_example.go idem_example_test.go", "money", ""},
		"the tool is there":           {map[string]string{"go.mod": mod + "\ntool github.com/idemgen/idemgen/cmd/idemgen\n"}, "", "payments.go payments_test.go", "shop", "go generate ."},
		"no module":                   {nil, "", "make one first: go mod init", "", ""},
		"a broken go.mod":             {map[string]string{"go.mod": "modul x\n"}, "", "mend it first", "", ""},
		"a name is taken":             {map[string]string{"go.mod": mod, "a.go": "package money\n\ntype Receipt struct{}\n"}, "", "already declares Receipt", "", ""},
		"a method is not a name":      {map[string]string{"go.mod": mod, "a.go": "package money\n\ntype x int\n\nfunc (x) Receipt() {}\n"}, "", "idem_example.go idem_example_test.go", "money", ""},
		"a file is in the way":        {map[string]string{"go.mod": mod, "a.go": "package money\n", "idem_example.go": "package money\n"}, "", "idem_example.go is there already", "", ""},
		"two packages":                {map[string]string{"go.mod": mod, "a.go": "package a\n", "b.go": "package b\n"}, "", "name the folder of one package", "", ""},
		"nothing that is built here":  {map[string]string{"go.mod": mod, "a.go": "//go:build never\n\npackage a\n"}, "", "a folder of its own", "", ""},
		"a file for a folder":         {map[string]string{"go.mod": mod, "a.go": "package a\n"}, "a.go", "a.go is a file", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, c.files)
			p, err := Make(Wish{Dir: dir, Folder: c.folder, Migrations: "none", Now: now})
			if err != nil || c.clause == "" {
				if err == nil || c.clause != "" || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v; want %q", err, c.want)
				}
				return
			}
			if got := strings.Join(paths(p), " "); got != c.want {
				t.Errorf("files %s, want %s", got, c.want)
			}
			for _, f := range p.Files {
				if !strings.HasPrefix(f.Text, "package "+c.clause+"\n") {
					t.Errorf("%s begins with %.30q", f.Path, f.Text)
				}
			}
			tool := strings.HasPrefix(p.Next, "go get -tool github.com/idemgen/idemgen/cmd/idemgen && ")
			if !strings.Contains(p.Next, c.next) || tool == strings.Contains(c.files["go.mod"], "tool ") {
				t.Errorf("next: %s", p.Next)
			}
		})
	}
}

func TestAnAnnotatedPackageGetsNoExample(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"go.mod": mod, "a.go": "package a\n\n//go:generate go tool idemgen .\n\n// A is one.\n//\n//idem:wrap A\r\ntype A interface{}\n"})
	p, err := Make(Wish{Dir: dir, Migrations: "none", Now: now})
	if err != nil || len(p.Files) > 0 || len(p.Notes) != 1 || !strings.HasPrefix(p.Notes[0], "a.go has annotations already") {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestAPackageHasOneGenerateLine(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"go.mod": mod, "a.go": "package a\n\n//go:generate go run github.com/idemgen/idemgen/cmd/idemgen .\n"})
	p, err := Make(Wish{Dir: dir, Migrations: "none", Now: now})
	if err != nil || strings.Contains(p.Files[0].Text, "go:generate") {
		t.Errorf("%v: a second line:\n%s", err, p.Files[0].Text)
	}
}

func TestWriteIsAllOrNothing(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"go.mod": mod})
	p, err := Make(Wish{Dir: dir, Folder: "a/b", Now: now})
	if err != nil {
		t.Fatal(err)
	}
	last := filepath.Join(dir, filepath.FromSlash(p.Files[len(p.Files)-1].Path))
	if err := os.MkdirAll(filepath.Dir(last), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(last, []byte("mine"), 0o600); err != nil { // it came between the plan and the writing
		t.Fatal(err)
	}
	if err := p.Write(); err == nil || !strings.HasPrefix(err.Error(), "nothing was written") {
		t.Errorf("Write: %v", err)
	}
	var left []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		left = append(left, d.Name())
		return nil
	})
	if text, _ := os.ReadFile(last); string(text) != "mine" || !slices.Equal(left[1:], []string{"db", filepath.Base(last), "go.mod"}) {
		t.Errorf("left: %v, %q", left, text)
	}
	if err := os.Remove(last); err != nil {
		t.Fatal(err)
	}
	if err := p.Write(); err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Files {
		if text, err := os.ReadFile(filepath.Join(dir, f.Path)); err != nil || string(text) != f.Text {
			t.Errorf("%s: %v", f.Path, err)
		}
	}
}

// What is written holds the schema word for word, whatever the tool.
func TestMigrationsHoldTheSchema(t *testing.T) {
	t.Parallel()
	for _, tool := range tools {
		up, down := 0, 0
		for _, text := range tool.migration(firstTable, templates.Schema(), templates.Drop(), nil, now) {
			up += strings.Count(text, templates.Schema())
			down += strings.Count(text, templates.Drop())
		}
		if forward := tool.name == "atlas" || tool.name == "plain"; up != 1 || down != map[bool]int{true: 0, false: 1}[forward] {
			t.Errorf("%s: the schema %d times, its removal %d times", tool.name, up, down)
		}
	}
}
