package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/generator"
)

// shop is a module with a wrapper and, in another package, a call past it.
func shop(t *testing.T) (dir string) {
	t.Helper()
	dir = module(t, source)
	write := func(path, text string) { put(t, dir, generator.ExampleFile{Path: path, Text: text}) }
	write("go.mod", "module example.com/m\n\ngo 1.26.0\n\nrequire github.com/idemgen/idemgen v0.0.0\n")
	write("pay/card.go", `package pay

import "context"

type Card struct{}

func (Card) Charge(ctx context.Context, k string) (int, error) { return 0, nil }
`)
	write("shop/shop.go", `package shop

import (
	"context"

	"example.com/m/pay"
)

var _ pay.Gate = pay.Card{}

func sell(ctx context.Context, card pay.Card, gate pay.Gate) error {
	if _, err := gate.Charge(context.Background(), "k"); err != nil {
		return err
	}
	_, err := card.Charge(ctx, "k")
	return err
}
`)
	write("shop/shop_test.go", "package shop\n")
	requireRuntime(t, dir)
	if code, _, stderr := idemgen(t, dir, "./..."); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	return dir
}

// vetOnce lets one test at a time run the go command with this program as its tool: the first fills the build cache for the others, which
// would otherwise look at the standard library all at once.
var vetOnce sync.Mutex

// vetIn runs the vet command in dir.
func vetIn(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	vetOnce.Lock()
	defer vetOnce.Unlock()
	var out, errs strings.Builder
	code = run(t.Context(), append([]string{"vet", "-C", dir}, args...), &out, &errs)
	return code, out.String(), errs.String()
}

// One module goes through all that the command can say of it.
func TestVet(t *testing.T) {
	t.Parallel()
	dir := shop(t)

	code, stdout, stderr := vetIn(t, dir, "./...")
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	if code != exitFail || stdout != "" || len(lines) != 2 ||
		!strings.HasPrefix(lines[0], "shop/shop.go:12:27: error: context.Background() ") || !strings.HasSuffix(lines[0], " [IDEM092]") ||
		!strings.HasPrefix(lines[1], "shop/shop.go:15:17: error: pay.Gate.Charge ") || !strings.HasSuffix(lines[1], " [IDEM090]") {
		t.Errorf("findings: exit %d, stdout %q, stderr\n%s", code, stdout, stderr)
	}

	code, stdout, stderr = vetIn(t, dir, "-json", "./shop")
	if code != exitFail || strings.Count(stdout, "\n") != 2 || stderr != "" ||
		!strings.Contains(stdout, `"kind":"diagnostic","file":"shop/shop.go","line":12,"col":27,"severity":"error","code":"IDEM092","text":"context.Background()`) {
		t.Errorf("-json: exit %d, stderr %q, stdout\n%s", code, stderr, stdout)
	}

	// The go command asks this program itself as well, and says the same.
	cmd := exec.CommandContext(t.Context(), "go", "vet", "-vettool="+executable(t), "./...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err == nil || strings.Count(string(out), "shop/shop.go:") != 2 || !strings.Contains(string(out), "[IDEM090]") {
		t.Errorf("go vet -vettool: %v\n%s", err, out)
	}

	code, _, stderr = vetIn(t, dir, "-fix", "./...")
	text, err := os.ReadFile(filepath.Join(dir, "shop/shop.go"))
	if err != nil || !strings.Contains(string(text), `gate.Charge(ctx, "k")`) || code != exitFail || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "IDEM090") {
		t.Errorf("-fix: %v, exit %d, stderr %s\n%s", err, code, stderr, text)
	}

	if code, stdout, stderr = vetIn(t, dir, "./pay"); code != exitDone || stdout+stderr != "" {
		t.Errorf("nothing to find: exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}

	put(t, dir, generator.ExampleFile{Path: "shop/broken.go", Text: "package shop\n\nvar x int = \"\"\n"})
	put(t, dir, generator.ExampleFile{Path: "till/till.go", Text: "package till\n\nimport (\n\t\"context\"\n\n\t\"example.com/m/pay\"\n)\n\n" +
		"func sell(ctx context.Context, g pay.Gate) { _, _ = g.Charge(context.TODO(), \"k\") }\n"})
	if code, _, stderr = vetIn(t, dir, "./..."); code != exitFail || !strings.Contains(stderr, "broken.go:3:13") || !strings.Contains(stderr, "idemgen: ") {
		t.Errorf("a package that does not compile: exit %d, stderr %s", code, stderr)
	}
	code, stdout, _ = vetIn(t, dir, "-json", "./...")
	if code != exitFail || !strings.Contains(stdout, `"kind":"failure"`) || !strings.Contains(stdout, `"file":"till/till.go"`) {
		t.Errorf("the same as JSON: exit %d, stdout %s", code, stdout)
	}
	if code, _, _ = vetIn(t, dir, "-nope"); code != exitUsage {
		t.Errorf("wrong usage: exit %d", code)
	}
	if code, _, _ = vetIn(t, dir, "./nowhere"); code != exitFail {
		t.Errorf("no such package: exit %d", code)
	}
}

func executable(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}
