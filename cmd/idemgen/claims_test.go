package main

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/pgtest"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is what idemgen claims must not do: change something unasked, or show what nobody asked for.

// held is the id of a claim of the desk that is unknown, stored one that is done, live one that a call is on, and lapsed one of an
// operation without a result.
const (
	held   = "1f3a9555"
	stored = "4df715b0"
	live   = "bf91ea3a"
	lapsed = "8481c8f4"
)

// said is what a command line must end with, and say.
func said(t *testing.T, line string, code int, want string) (stdout string) {
	t.Helper()
	got, out, errs := claimsRun(t, line)
	if got != code || !strings.Contains(out+errs, want) {
		t.Errorf("claims %s: exit %d, want %d; it says\n%s%s\nwant %q", line, got, code, out, errs, want)
	}
	for _, secret := range []string{"order-104", "invoice-", "u:password"} {
		if strings.Contains(out+errs, secret) {
			t.Errorf("claims %s shows %q:\n%s%s", line, secret, out, errs)
		}
	}
	return out
}

// rowOf is a claim as it is stored, and how many decisions are written down.
func rowsOf(t *testing.T, pool *pgxpool.Pool) (text string) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), "SELECT (SELECT string_agg(c::text, ' ' ORDER BY id) FROM idem_claims c) || (SELECT count(*) FROM idem_audit)").Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

// answering has a person type something.
func answering(t *testing.T, text string) {
	t.Helper()
	was := person
	t.Cleanup(func() { person = was })
	person = func() io.Reader { return strings.NewReader(text) }
}

func TestClaimsChangeNothingUnlessAskedTo(t *testing.T) {
	pool := desk(t)
	before := rowsOf(t, pool)
	const why = " -why x "
	for line, want := range map[string]string{ // exit 2
		"not-happened " + held:            "Give -why",
		"not-happened" + why + held:       "there is nobody to ask; add -yes",
		"release -force" + why + held:     "add -yes",
		"sweep":                           "add -yes",
		"complete -result -" + why + held: "add -yes",
		"complete -yes" + why + held:      "Give -result FILE",
		"complete -yes -noresult -result found.json" + why + held:      "leave -result, -codec and -shape out",
		"complete -yes -result found.json" + why + lapsed:              "has no result",
		"complete -yes -result found.json -ttl soon" + why + held:      "-ttl takes a time",
		"complete -yes -codec x -shape zz -result go.mod" + why + held: "-shape takes a hash",
		"not-happened -yes" + why:                                      "name one claim",
		"not-happened -yes -key order" + why:                           "add -op",
		"not-happened -yes" + why + "xyz":                              "is not the beginning of an id",
		"list -state odd":                                              "there is no state odd",
		"list -older soon":                                             "-older takes a time",
		"list -after x":                                                "-after takes what an earlier list",
		"list -limit 0":                                                "-limit takes a number",
		"list -db postgres://u:password@[":                             "address can't be read",
	} {
		said(t, line, exitUsage, want)
	}
	for line, want := range map[string]string{ // exit 1
		"not-happened -yes" + why + live:                                  "lease is live",
		"complete -yes -noresult" + why + stored:                          "its outcome can't be replaced",
		"hold -yes" + why + held:                                          "is unknown already",
		"release -yes" + why + held:                                       "needs force",
		"release -yes -force" + why + live:                                "claims hold -force",
		"complete -yes -result half.json" + why + held:                    "could not read this result",
		"complete -yes -result go.mod" + why + held:                       "is no json",
		"complete -yes -result missing.json" + why + held:                 "missing.json",
		"show -key nobody -op x.Y":                                        "no such claim",
		"show 0":                                                          "no claim's id begins with 0",
		"list -db postgres://u:password@127.0.0.1:1/db?connect_timeout=2": "can't be reached",
	} {
		said(t, line, exitFail, want)
	}
	answering(t, "no\n")
	said(t, "not-happened"+why+held, exitFail, "nothing was changed")
	said(t, "sweep", exitFail, "nothing was changed")
	answering(t, "y\n")
	said(t, "release -force"+why+held, exitFail, "nothing was changed")
	if after := rowsOf(t, pool); after != before {
		t.Errorf("something has changed: was\n%s\nis\n%s", before, after)
	}
}

func TestClaimsShowWhatIsAskedFor(t *testing.T) {
	desk(t)
	for line, want := range map[string]string{
		"list":                         held,
		"list -scope globex":           "e250b87c",
		"list -older 2h -state done":   stored,
		"list -op example.com/shop/m*": lapsed,
		"show " + live:                 "ends in",
		"show #" + held:                "-keys does",
		"show -result " + stored:       `{"amount":1900,"currency":"EUR","id":"ch_1040"}`,
		"stats -json":                  `"kind":"stats"`,
		"list -json -limit 2":          `"kind":"more"`,
		"audit":                        "nothing was decided",
		"list -state failed":           "no claim fits",
		"show -json " + stored:         `"size":47}`,
	} {
		said(t, line, exitDone, want)
	}
	_, out, _ := claimsRun(t, "list -keys")
	_, one, _ := claimsRun(t, "show -keys -json "+held)
	_, named, _ := claimsRun(t, "show -op "+charge+" -scope acme -key order-1041 -json")
	if !strings.Contains(out, "order-1041") || !strings.Contains(one, `"key":"order-1041"`) || !strings.Contains(named, `"key_hash":"`+held) {
		t.Errorf("keys are not shown when they are asked for:\n%s\n%s\n%s", out, one, named)
	}
}

// TestClaimsShowNoResultThatMayBeSecret: marked, encrypted, or of an operation that nobody here knows.
func TestClaimsShowNoResultThatMayBeSecret(t *testing.T) {
	pool := desk(t)
	show := func(want string) {
		t.Helper()
		if out := said(t, "show -result "+stored, exitFail, want); strings.Contains(out, "ch_1040") {
			t.Errorf("the result is shown: %s", out)
		}
	}
	lock := func(text string) {
		t.Helper()
		if err := os.WriteFile("idem.lock", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lock(strings.Replace(shopLock, "\tresult {}", "\tsecret Receipt.Card\n\tresult {}", 1))
	show("Receipt.Card of it is marked as secret")
	lock("version 1\n")
	show("no idem.lock here knows the operation")
	if err := os.Remove("idem.lock"); err != nil {
		t.Fatal(err)
	}
	show("no idem.lock here knows the operation")
	lock("version 99\n")
	show("a newer idemgen wrote this file")
	lock(shopLock)
	if _, err := pool.Exec(t.Context(), "UPDATE idem_claims SET schema_hash = '\\x0011223344556677' WHERE state = 2"); err != nil {
		t.Fatal(err)
	}
	show("another shape than idem.lock knows")
	lock(strings.Replace(shopLock, "result.id string", "result.id parameter", 1))
	show("depends on a type argument")
	lock(shopLock)
	if _, err := pool.Exec(t.Context(), "UPDATE idem_claims SET codec = 'aesgcm+json' WHERE state = 2"); err != nil {
		t.Fatal(err)
	}
	show("stored by codec aesgcm+json")
}

// TestClaimsCompleteIsWhatCallersGet: the wrapper's own codec reads what a person has given.
func TestClaimsCompleteIsWhatCallersGet(t *testing.T) {
	pool := desk(t)
	answering(t, "yes\n")
	said(t, "complete -result found.json -why x "+held, exitDone, held+" is done")
	answering(t, "yes\n")
	said(t, "complete -why x "+lapsed, exitDone, lapsed+" is done")
	said(t, "complete -yes -codec own -result found.json -why x -json e250b87c", exitDone, `"codec":"own"`)
	store := postgres.NewStore(pool)
	defer store.Close()
	id := func(key string) idem.ID { return idem.RowID(idem.Ref{Operation: charge, Scope: "acme", Key: key}) }
	rows, err := store.Read(t.Context(), []idem.ID{id("order-1041"), id("order-1040")})
	if err != nil {
		t.Fatal(err)
	}
	got, like := rows[0], rows[1]
	if got.State != idem.StateDone || got.Codec != like.Codec || string(got.Schema) != string(like.Schema) || string(got.Result) != `{"id":"ch_1041","amount":4200,"currency":"EUR"}` {
		t.Errorf("stored is %+v, want as in %+v", got, like)
	}
	if kept := got.ExpiresAt.Sub(got.CompletedAt); kept.Round(time.Hour) != 7*24*time.Hour {
		t.Errorf("it is kept for %s, and idem.lock says 7 days", kept)
	}
}

func TestClaimsOnAnOlderSchemaSayWhatToDo(t *testing.T) {
	pool := desk(t)
	if _, err := pool.Exec(t.Context(), "DROP TABLE idem_audit; DELETE FROM idem_migrations WHERE version > 1"); err != nil {
		t.Fatal(err)
	}
	said(t, "list", exitDone, held)
	said(t, "show "+held, exitDone, "find out whether it happened")
	said(t, "not-happened -yes -why x "+held, exitFail, "nothing was changed: the table idem_audit, which decisions of people are written down in, is missing or older than this program: run postgres.Migrate")
	said(t, "audit", exitFail, "run postgres.Migrate")
}

// TestClaimsShowNoAddressInTheWrongPlace: an address without its -db, or behind another flag, may hold a password.
func TestClaimsShowNoAddressInTheWrongPlace(t *testing.T) {
	desk(t)
	for _, address := range []string{"postgres://u:password@127.0.0.1:1/shop", "password=u:password"} {
		for _, line := range []string{
			address, "list " + address, "show " + address, "show " + held + " " + address, "list -limit " + address, "list -" + address,
			"list -state " + address, "list -older " + address, "complete -yes -why x " + address,
		} {
			if code, out, errs := claimsRun(t, line); code != exitUsage || strings.Contains(out+errs, "u:password") {
				t.Errorf("claims %s: exit %d; it says\n%s%s", line, code, out, errs)
			}
		}
	}
}

func TestClaimsWithoutADatabase(t *testing.T) {
	for _, v := range []string{"IDEMGEN_DATABASE_URL", "DATABASE_URL", "PGHOST", "PGDATABASE", "PGSERVICE"} {
		t.Setenv(v, "")
	}
	said(t, "list", exitUsage, "which database?")
	t.Setenv("DATABASE_URL", pgtest.Database(t))
	said(t, "list", exitFail, "the table idem_claims")
}
