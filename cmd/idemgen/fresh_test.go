package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// This file lives through what the README tells a new user to type, in a module outside of this one.

// fiveMinutes are the commands of the README's first section, one a line.
func fiveMinutes(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## First five minutes\n\n```sh\n")
	block, _, ended := strings.Cut(section, "```\n")
	if !found || !ended {
		t.Fatal("the README has no commands for the first five minutes")
	}
	return strings.Split(strings.TrimSpace(block), "\n")
}

// shell runs lines in a folder, as somebody would type them, and returns what they print. What this module needs is in the module
// cache when its tests run, so nothing is asked of the network.
func shell(t *testing.T, dir string, lines ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", strings.Join(lines, "\n"))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off", "GOSUMDB=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v:\n%s", strings.Join(lines, "\n"), err, out)
	}
	return string(out)
}

func TestFirstFiveMinutes(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Fatal("this test types commands into bash: ", err)
	}
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	dir := filepath.Join(root, "shop")
	lines := fiveMinutes(t)
	// Nothing is fetched: the module is this checkout, as the README says for that case.
	lines = append(lines[:1:1], append([]string{"go mod edit -replace=github.com/idemgen/idemgen=" + repo}, lines[1:]...)...)
	out := shell(t, root, lines...)
	for _, want := range []string{"wrote payments.go\n", "wrote payments_test.go\n", "wrote db/idem_claims.sql", "next: go generate . && go test .\n", "ok  \texample.com/shop\t"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	for _, line := range strings.Split(out, "\n") {
		if strings.Contains(line, "note:") || strings.Contains(line, "warning:") {
			t.Errorf("the example is not spotless: %s", line)
		}
	}

	// A second time it changes nothing.
	before := shell(t, dir, "cat go.mod *.go db/*")
	if out := shell(t, dir, "go tool idemgen init"); strings.Contains(out, "wrote") || !strings.Contains(out, "payments.go has annotations already") {
		t.Errorf("the second init printed %s", out)
	}
	if shell(t, dir, "go generate ./... && cat go.mod *.go db/*") != before {
		t.Error("the second init, or the second generate, changed a file")
	}

	// A change that stored outcomes don't survive is refused until it is accepted.
	shell(t, dir, `sed -i.old '/^type Receipt/,/^}/s/Cents int64/Amount int64/' payments.go && rm payments.go.old`)
	if out := shell(t, dir, "! go tool idemgen -check ./..."); !strings.Contains(out, "[IDEM081]") {
		t.Errorf("a renamed field of a stored result passes -check: %s", out)
	}
	shell(t, dir, "go tool idemgen -accept ./...", "go tool idemgen -check ./...",
		`sed -i.old '/^type Receipt/,/^}/s/Amount int64/Cents int64/' payments.go && rm payments.go.old`, "go tool idemgen -accept ./...")

	// The example's test is worth something: a key that differs for each call makes it fail.
	shell(t, dir, `sed -i.old 's|//idem:key req.Key|//idem:key req.Key, nonce()|' payments.go && rm payments.go.old`,
		`printf 'package shop\n\nvar calls int\n\nfunc nonce() int {\n\tcalls++\n\treturn calls\n}\n' > nonce.go`)
	if out := shell(t, dir, "! go generate ./..."); !strings.Contains(out, "IDEM082") {
		t.Errorf("another key is not refused:\n%s", out)
	}
	if out := shell(t, dir, "go tool idemgen -accept ./... && ! go test ./..."); !strings.Contains(out, "the retry got") {
		t.Errorf("a wrapper that doesn't recognise retries passes the example's test:\n%s", out)
	}
}

// The example is at home in packages that are there, programs included.
func TestInitInExistingPackages(t *testing.T) {
	t.Parallel()
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	shell(t, root, "go mod init example.com/there", "go mod edit -replace=github.com/idemgen/idemgen="+repo,
		"go get -tool github.com/idemgen/idemgen/cmd/idemgen",
		`mkdir -p lib cmd/serve db/migrations`,
		`printf 'package library\n\nconst A = 1\n' > lib/a.go`,
		`printf 'package main\n\nfunc main() {}\n' > cmd/serve/main.go`,
		`printf -- '-- +goose Up\nSELECT 1;\n' > db/migrations/00041_users.sql`,
		"go tool idemgen init ./lib", "cd cmd/serve && go tool idemgen init -migrations none && cd ../..",
		"go generate ./...", "go vet ./...", "go test ./...", "go tool idemgen -check ./...", "test -f db/migrations/00042_idem_claims.sql")
}
