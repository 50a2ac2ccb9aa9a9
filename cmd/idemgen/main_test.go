package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/pgtest"
)

// TestMain lets the test binary be the vet tool that the command under test names to the go command: itself.
// And tests neither read nor fill the memory of whoever runs them.
func TestMain(m *testing.M) {
	if isVetTool(os.Args[1:]) {
		vetTool()
	}
	if err := os.Setenv(cacheVariable, "off"); err != nil {
		panic(err)
	}
	pgtest.Main(m)
}

const source = `package pay

import "context"

// Gate charges.
//
//idem:wrap
type Gate interface {
	//idem:key k
	//idem:takeover rerun
	Charge(ctx context.Context, k string) (int, error)
}
`

// module makes a module with one package, pay.
func module(t *testing.T, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for path, content := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26.0\n", "pay/pay.go": text} {
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// idemgen runs the command in dir.
func idemgen(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(t.Context(), append([]string{"-C", dir}, args...), &out, &errs)
	return code, out.String(), errs.String()
}

// One module is taken through the life of its output: missing, written, current, out of date.
func TestOutputsAreFoundWrittenAndCompared(t *testing.T) {
	t.Parallel()
	dir := module(t, source)
	output := filepath.Join(dir, "pay", "idem_gen.go")
	steps := []struct {
		name, args     string
		code           int
		stdout, stderr string // parts; empty: nothing at all
		written        bool
	}{
		{"a missing output is found", "-check ./...", 1, "", "pay/idem_gen.go: out of date", false},
		{"it is listed", "-n ./...", 0, "pay/idem_gen.go\n", "", false},
		{"it is a new file in a diff", "-diff ./...", 1, "--- /dev/null\n+++ b/pay/idem_gen.go\n", "", false},
		{"it is written", "./...", 0, "", "", true},
		{"then nothing is out of date", "-check ./...", 0, "", "", true},
		{"there is no difference", "-diff ./...", 0, "", "", true},
		{"there is nothing to list", "-n ./...", 0, "", "", true},
		{"another run changes nothing", "./...", 0, "", "", true},
	}
	for _, s := range steps {
		code, stdout, stderr := idemgen(t, dir, strings.Fields(s.args)...)
		if code != s.code || !holds(stdout, s.stdout) || !holds(stderr, s.stderr) {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", s.name, code, stdout, stderr)
		}
		if _, err := os.Stat(output); (err == nil) != s.written {
			t.Errorf("%s: the output is there: %t", s.name, err == nil)
		}
	}
	changed := strings.Replace(source, "takeover rerun", "policy conflict", 1)
	if err := os.WriteFile(filepath.Join(dir, "pay", "pay.go"), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ := idemgen(t, dir, "-diff", "./pay")
	if code != 1 || !strings.Contains(stdout, "\n-\tTakeover: idem.TakeoverRerun,\n") || !strings.Contains(stdout, "Policy: idem.PolicyConflict,\n") {
		t.Errorf("the change shows as\n%s", stdout)
	}
}

// holds reports whether part is in text; an empty part means an empty text.
func holds(text, part string) bool {
	return strings.Contains(text, part) && (part != "" || text == "")
}

func TestErrorsAreReportedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	dir := module(t, strings.Replace(source, "idem:key k", "idem:key missing", 1))
	code, stdout, stderr := idemgen(t, dir, "./...")
	if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "pay/pay.go:9:13: error: ") || !strings.Contains(stderr, " [IDEM0") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	code, stdout, _ = idemgen(t, dir, "-json", "./...")
	if code != 1 || !strings.HasPrefix(stdout, `{"version":1,"kind":"diagnostic","file":"pay/pay.go","line":9,"col":13,"severity":"error","code":"IDEM031","text":`) {
		t.Errorf("exit %d, stdout %q", code, stdout)
	}
	if _, err := os.Stat(filepath.Join(dir, "pay", "idem_gen.go")); err == nil {
		t.Error("an output was written")
	}
}

func TestWarningsDoNotFail(t *testing.T) {
	t.Parallel()
	dir := module(t, strings.NewReplacer("idem:key k", "idem:skip", "\t//idem:takeover rerun\n", "").Replace(source))
	code, _, stderr := idemgen(t, dir, "./...")
	if code != 0 || !strings.Contains(stderr, ": warning: ") {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
}

func TestCommandsThatDoNotGenerate(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct {
		code           int
		stdout, stderr string
	}{
		"-h":               {0, "usage: idemgen", ""},
		"version":          {0, "idemgen ", ""},
		"help":             {0, "usage: idemgen", ""},
		"--help ./...":     {0, "usage: idemgen", ""},
		"help explain":     {0, "usage: idemgen explain [IDEMnnn]", ""},
		"explain -h":       {0, "usage: idemgen explain [IDEMnnn]", ""},
		"version -json":    {0, `{"idemgen":`, ""},
		"explain":          {0, "IDEM001  unknown annotation\n", ""},
		"explain IDEM001":  {0, "IDEM001: ", ""},
		"explain idem1":    {0, "IDEM001: ", ""},
		"explain 15":       {0, "IDEM015: ", ""},
		"explain [IDEM15]": {0, "IDEM015: ", ""},
		"explain IDEM079":  {2, "", "there is no diagnostic IDEM079, but IDEM070, IDEM071"},
		"explain IDEM999":  {2, "", "there is no diagnostic IDEM999; idemgen explain lists all"},
		"unknown":          {2, "", "unknown command"},
		"-nope":            {2, "", "-nope"},
	} {
		var stdout, stderr strings.Builder
		code := run(t.Context(), strings.Fields(line), &stdout, &stderr)
		if code != want.code || !holds(stdout.String(), want.stdout) || !holds(stderr.String(), want.stderr) {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", line, code, stdout.String(), stderr.String())
		}
	}
}

func TestAMissingDirectoryIsAnError(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "nowhere")
	for _, args := range [][]string{{"-C", dir}, {"-C", dir, "./..."}, {"vet", "-C", dir}, {"init", "-C", dir}} {
		var stdout, stderr strings.Builder
		code := run(t.Context(), args, &stdout, &stderr)
		if code != exitFail || stderr.String() != "idemgen: there is no folder "+dir+"; give -C one that is there\n" {
			t.Errorf("%v: exit %d, stderr %q", args, code, stderr.String())
		}
	}
}

// A wrapper whose annotations are gone still compiles and is used, so a build must not pass over it.
func TestAnOutputWhoseAnnotationsAreGoneIsOutOfDate(t *testing.T) {
	t.Parallel()
	dir := module(t, source)
	if code, _, stderr := idemgen(t, dir, "./..."); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	gone := strings.ReplaceAll(source, "//idem:", "// once idem, ")
	if err := os.WriteFile(filepath.Join(dir, "pay", "pay.go"), []byte(gone), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := idemgen(t, dir, "./..."); code != exitDone || !strings.Contains(stderr, leftOver) || !strings.Contains(stderr, operationGone) {
		t.Errorf("a run: exit %d: %s", code, stderr)
	}
	if code, _, stderr := idemgen(t, dir, "-check", "./..."); code != exitFail || !strings.Contains(stderr, leftOver) {
		t.Errorf("-check: exit %d: %s", code, stderr)
	}
}
