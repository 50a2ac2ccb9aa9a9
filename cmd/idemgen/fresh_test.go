package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// afterADeploy is a test of a user's own: each run of it is a program, and finds the rows of the one before in a file.
const afterADeploy = `package shop

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

func TestAfterADeploy(t *testing.T) {
	store := idemtest.NewStore()
	var rows []idem.Row
	if text, err := os.ReadFile("rows.json"); err == nil {
		if err := json.Unmarshal(text, &rows); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range rows {
		_, err := store.Complete(t.Context(), idem.Outcome{
			Claim:   idem.Claim{ID: r.ID, Ref: r.Ref, Owner: r.Owner, Fingerprint: r.Fingerprint, Lease: 1e9},
			Attempt: r.Attempt, Fence: r.Fence, State: r.State, TTL: idem.Forever, Codec: r.Codec, Schema: r.Schema, Result: r.Result,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	engine, err := idem.New(store)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	counted := &countedPayments{}
	receipt, err := NewIdempotentPayments(counted, engine).Charge(t.Context(), ChargeRequest{Key: "order-7", Customer: "c-1", Cents: 1999})
	t.Logf("receipt %+v, error %v, charges %d", receipt, err, counted.charges)
	text, err := json.Marshal(store.Rows())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("rows.json", text, 0o600); err != nil {
		t.Fatal(err)
	}
}
`

// A user's result changes after the first deploy: what is stored by then is not lost unseen, and an upcast reads it.
func TestAnUpcastReadsWhatAnEarlierProgramStored(t *testing.T) {
	t.Parallel()
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	deploy := func() string { return shell(t, dir, "go test -count=1 -v -run AfterADeploy .") }
	shell(t, dir, "go mod init example.com/shop", "go mod edit -replace=github.com/idemgen/idemgen="+repo,
		"go get -tool github.com/idemgen/idemgen/cmd/idemgen", "go tool idemgen init -migrations none", "go generate ./...")
	if err := os.WriteFile(filepath.Join(dir, "deploy_test.go"), []byte(afterADeploy), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := deploy(); !strings.Contains(out, "receipt {ID:receipt-1 Cents:1999}, error <nil>, charges 1\n") {
		t.Fatalf("the first program: %s", out)
	}

	// The receipt gets its amount as a text. Nobody may overlook that the rows have none.
	before := shell(t, dir, `sed -i.old 's|^\tCents int64$|\tAmount string|' payments.go`,
		`sed -i.old 's|Cents: req.Cents}, nil|Amount: euros(req.Cents)}, nil|' payments_test.go`,
		`printf 'package shop\n\nimport "fmt"\n\nfunc euros(cents int64) string { return fmt.Sprintf("%%d.%%02d", cents/100, cents%%100) }\n' > euros.go`,
		"gofmt -w payments.go && rm *.old && cat idem.lock idem_gen.go")
	refusal := shell(t, dir, "! go tool idemgen -check ./...")
	line := regexp.MustCompile("`(//idem:upcast [0-9a-f]{16}) FUNC`").FindStringSubmatch(refusal)
	if line == nil || !strings.HasPrefix(refusal, "payments.go:17:") || !strings.Contains(refusal, "`result.Cents` is gone (it was int64)") || !strings.Contains(refusal, "for 72h") {
		t.Fatalf("the change is not refused with the line that mends it:\n%s", refusal)
	}
	if out := shell(t, dir, "! go generate ./... > said 2>&1; cat said; rm said; cat idem.lock idem_gen.go"); !strings.HasSuffix(out, before) {
		t.Errorf("a refused change is written:\n%s", out)
	}

	// The line and its function: accepted by name, for the old rows and no others.
	shell(t, dir, `sed -i.old 's|^\t//idem:key req.Key$|&\n\t`+line[1]+` fromCents|' payments.go && rm payments.go.old`,
		`printf '\ntype centsReceipt struct {\n\tID string\n\tCents int32\n}\n\nfunc fromCents(r centsReceipt) Receipt { return Receipt{ID: r.ID, Amount: euros(int64(r.Cents))} }\n' >> euros.go`)
	if out := shell(t, dir, "! go generate ./..."); !strings.Contains(out, "`fromCents` takes less than what was stored") {
		t.Errorf("a function that has no room for the old amounts is accepted:\n%s", out)
	}
	shell(t, dir, "sed -i.old 's|Cents int32|Cents int64|' euros.go && rm euros.go.old", "gofmt -w euros.go",
		"! go tool idemgen -check ./...", "go generate ./...", "go tool idemgen -check ./...", "go vet ./...")
	if out := shell(t, dir, "cat idem.lock"); !strings.Contains(out, "\tupcast "+strings.Fields(line[1])[1]+".Cents int64\n") || !strings.Contains(out, "\tresult.Amount string\n") {
		t.Errorf("the lock file does not show the upcast:\n%s", out)
	}
	if out := deploy(); !strings.Contains(out, "receipt {ID:receipt-1 Amount:19.99}, error <nil>, charges 0\n") {
		t.Errorf("the retry after the deploy: %s", out)
	}

	// Without its line the old row is never guessed at, and never charged again.
	if out := shell(t, dir, "sed -i.old '/idem:upcast/d' payments.go && rm payments.go.old", "! go tool idemgen -check ./..."); !strings.Contains(out, "IDEM081") {
		t.Errorf("taking the upcast away is not refused:\n%s", out)
	}
	shell(t, dir, "go tool idemgen -accept ./...", "go tool idemgen -check ./...")
	if out := deploy(); !strings.Contains(out, "charges 0\n") || strings.Contains(out, "error <nil>") {
		t.Errorf("the retry after the old shape was given up: %s", out)
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
