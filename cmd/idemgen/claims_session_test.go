package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file carries out what docs/claims.md shows, command by command, on a database with claims of each kind, and compares what is
// printed. With -session it is written into the page.

var session = flag.Bool("session", false, "write what idemgen claims prints into docs/claims.md")

const sessionPage = "../../docs/claims.md"

// blocks are what a terminal shows.
var blocks = regexp.MustCompile("(?s)```console\n(.*?)```")

func TestClaimsPageShowsWhatHappens(t *testing.T) {
	page, err := filepath.Abs(sessionPage)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	desk(t)
	steps := 0
	got := blocks.ReplaceAllStringFunc(string(text), func(block string) string {
		var b strings.Builder
		b.WriteString("```console\n")
		for line := range strings.Lines(block) {
			if command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ "); ok {
				steps++
				b.WriteString("$ " + command + "\n" + steady(terminal(t, command)))
			}
		}
		b.WriteString("```")
		return b.String()
	})
	if steps < 12 {
		t.Fatalf("only %d commands were found", steps)
	}
	switch {
	case got == string(text):
	case *session:
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("docs/claims.md does not show what happens; go test ./cmd/idemgen -run ClaimsPage -session writes it, and\n%s", unified("docs/claims.md", text, []byte(got)))
	}
}

// steady is output without what differs from one time to the next.
func steady(out string) string {
	for pattern, with := range map[string]string{
		`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`: "2026-03-04T05:06:07Z",
		`"age_seconds":\d+`:               `"age_seconds":10980`,
		`\b\d+s ago`:                      "2s ago",
		`[\d.]+ (B|KiB|MiB) in the data`:  "64 KiB in the data",
		`"token":"[^"]*"`:                 `"token":"0c5d1a52-8e0b-4d3c-9f2e-6a7b8c9d0e1f"`,
	} {
		out = regexp.MustCompile(pattern).ReplaceAllString(out, with)
	}
	return out
}

// terminal is what a command prints there. Who is asked types yes.
func terminal(t *testing.T, command string) string {
	t.Helper()
	words := split(command)
	if words[0] == "cat" {
		text, err := os.ReadFile(words[1])
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if words[0] != "idemgen" {
		t.Fatalf("there is no program %s", words[0])
	}
	var out strings.Builder
	answers := &typing{out: &out}
	defer func(was func() io.Reader) { person = was }(person)
	person = func() io.Reader { return answers }
	code := run(t.Context(), words[1:], &out, &out)
	if code == exitUsage {
		t.Errorf("%s: wrong usage: %s", command, out.String())
	}
	return out.String()
}

// typing answers yes, and shows it as a terminal does.
type typing struct{ out io.Writer }

func (p *typing) Read(b []byte) (int, error) {
	fmt.Fprintln(p.out, "yes")
	return copy(b, "yes\n"), nil
}

// split takes a command line apart; words in single quotes may hold blanks.
func split(line string) (words []string) {
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		words = append(words, m[1]+m[2])
	}
	return words
}

// The claims of the page, by the keys they were sent with.
const (
	charge = "example.com/shop/pay.Payments.Charge"
	mail   = "example.com/shop/mail.Mailer.Send"
)

// shopLock is what idemgen writes for the shop.
const shopLock = `version 1

operation example.com/shop/mail.Mailer.Send
	method ./mail Mailer.Send
	parameter id
	key $id string
	ttl 24h
	codec void

operation example.com/shop/pay.Payments.Charge
	method ./pay Payments.Charge
	parameter req
	key $req.Key string
	scope $req.Merchant string
	ttl 7d
	codec json
	shape 50152f0bdc44caaf
	result {}
	result.amount int64
	result.currency string
	result.id string
`

// desk makes a database with claims of each kind, and a folder with the shop's idem.lock, and goes there.
func desk(t *testing.T) *pgxpool.Pool {
	t.Helper()
	dsn := pgtest.Database(t)
	pool := pgtest.PoolOf(t, dsn)
	if err := postgres.Migrate(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	store := postgres.NewStore(pool)
	t.Cleanup(func() { _ = store.Close() })
	for i, c := range []struct {
		operation, scope, key string
		state                 idem.State
		ago, lease            time.Duration
	}{
		{charge, "acme", "order-1040", idem.StateDone, 30 * time.Hour, time.Minute},
		{charge, "acme", "order-1041", idem.StateUnknown, 26 * time.Hour, time.Minute},
		{charge, "globex", "order-1042", idem.StateUnknown, 3 * time.Hour, time.Minute},
		{mail, "", "invoice-77", idem.StateRunning, 20 * time.Minute, time.Minute},
		{charge, "acme", "order-1043", idem.StateRunning, 5 * time.Minute, 3 * time.Hour},
		{mail, "", "invoice-12", idem.StateDone, 100 * time.Hour, time.Minute},
	} {
		ref := idem.Ref{Operation: c.operation, Scope: c.scope, Key: c.key}
		claim := idem.Claim{ID: idem.RowID(ref), Ref: ref, Owner: idem.Owner{1, byte(i)}, Fingerprint: []byte{1, 2, 3}, Lease: c.lease, Origin: fmt.Sprintf("web-%d", i%2+1)}
		row, err := store.Claim(t.Context(), claim)
		if err == nil && c.state == idem.StateDone {
			o := idem.Outcome{Claim: claim, Attempt: 1, Fence: row.Fence, State: c.state, TTL: 72 * time.Hour, Codec: "void"}
			if c.operation == charge {
				o.Codec, o.Schema, o.Result = "json", []byte{0x50, 0x15, 0x2f, 0x0b, 0xdc, 0x44, 0xca, 0xaf}, []byte(`{"amount":1900,"currency":"EUR","id":"ch_1040"}`)
			}
			_, err = store.Complete(t.Context(), o)
		}
		if err == nil {
			_, err = pool.Exec(t.Context(), `UPDATE idem_claims SET claimed_at = claimed_at - d, lease_until = lease_until - d, completed_at = completed_at - d, expires_at = expires_at - d
				FROM (SELECT $2::bigint * interval '1 microsecond' AS d) age WHERE id = $1`, claim.ID.String(), (c.ago + 30*time.Second).Microseconds())
		}
		if err == nil && c.state == idem.StateUnknown {
			_, err = store.HoldLapsed(t.Context(), claim.ID, claim.Owner)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/shop\n", "idem.lock": shopLock,
		"found.json": "{\"id\": \"ch_1041\", \"amount\": 4200, \"currency\": \"EUR\"}\n",
		"half.json":  "{\"id\": \"ch_1041\", \"total\": 4200}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("IDEMGEN_DATABASE_URL", dsn)
	return pool
}

// claimsRun is a command line where nobody is there to ask.
func claimsRun(t *testing.T, line string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(context.WithoutCancel(t.Context()), append([]string{"claims"}, split(line)...), &out, &errs)
	return code, out.String(), errs.String()
}
