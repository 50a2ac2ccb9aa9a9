package generator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// This file takes final errors through changes: stored errors are looked for by their names, and have data.

func TestLock_ChangesOfFinalErrors(t *testing.T) {
	t.Parallel()
	const source = `package pay

import (
	"context"
	"errors"
)

var ErrSoldOut = errors.New("sold out")

// Declined has data.
type Declined struct {
	Code  string
	Cause error
}

func (*Declined) Error() string { return "declined" }

//idem:wrap
//idem:errors final ErrSoldOut, *Declined
type Payments interface {
	//idem:key id
	Charge(ctx context.Context, id string) error
}
`
	for name, c := range map[string]struct {
		edits   []string
		refused string // empty: it is not
		has     string // what the file holds then
	}{
		"nothing":                      {nil, "", `final "m/pay.ErrSoldOut" value`},
		"the message is another":       {[]string{`"sold out"`, `"gone"`}, "", `final "m/pay.ErrSoldOut" value`},
		"one more":                     {[]string{"final ErrSoldOut,", "final ErrSoldOut, context.Canceled2,", "type Declined", "var Err2 = errors.New(\"\")\n\ntype Declined", "context.Canceled2", "Err2"}, "", `final "m/pay.Err2" value`},
		"a field is added":             {[]string{"Code  string", "Code string; At int"}, "", `final "*m/pay.Declined".At int`},
		"a rule is taken away":         {[]string{"ErrSoldOut, *Declined", "ErrSoldOut"}, "`*m/pay.Declined` is not among them any more; run", `final "m/pay.ErrSoldOut" value`},
		"all rules are taken away":     {[]string{"//idem:errors final ErrSoldOut, *Declined\n", ""}, "`*m/pay.Declined` is not among them any more, `m/pay.ErrSoldOut` is not", "codec void"},
		"it is another class":          {[]string{"final ErrSoldOut, *Declined", "release ErrSoldOut, *Declined"}, "for 24h as an idem.StoredError", "codec void"},
		"the variable is renamed":      {[]string{"ErrSoldOut", "ErrGone"}, "`m/pay.ErrSoldOut` is not among them any more; renamed to m/pay.ErrGone?", `final "m/pay.ErrGone" value`},
		"the old name stays beside it": {[]string{"var ErrSoldOut", "var ErrSoldOut = ErrGone\nvar ErrGone", "final ErrSoldOut", "final ErrGone, ErrSoldOut"}, "", `final "m/pay.ErrGone" value`},
		"the type is renamed":          {[]string{"Declined", "Refused"}, "`*m/pay.Declined` is not among them any more; renamed to *m/pay.Refused?", `final "*m/pay.Refused" ?{}`},
		"it is a value now":            {[]string{"*Declined", "Declined"}, "`*m/pay.Declined` is not among them any more", `final "m/pay.Declined" {}`},
		"a field is renamed":           {[]string{"Code  string", "Reason string"}, "`*m/pay.Declined.Code` is gone (it was string; renamed to Reason?)", `final "*m/pay.Declined".Reason string`},
		"a field is retyped":           {[]string{"Code  string", "Code int"}, "`*m/pay.Declined.Code` was string, and is int now", `final "*m/pay.Declined".Code int`},
		"an error in it is gone":       {[]string{"Cause error\n", ""}, "`*m/pay.Declined.Cause` is gone (it was error)", `final "*m/pay.Declined".Code string`},
		"the variable becomes a type": {
			[]string{"var ErrSoldOut = errors.New(\"sold out\")", "type ErrSoldOut struct{}\n\nfunc (ErrSoldOut) Error() string { return \"\" }\n\nvar _ = errors.New"},
			"`m/pay.ErrSoldOut` was a variable, and is a type now", `final "m/pay.ErrSoldOut" {}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := tree(t, "go.mod: module m\n\ngo 1.26\n", "pay/pay.go: "+source)
			step := func(o Options, text string) ([]Diagnostic, string) {
				writeFile(t, filepath.Join(root, "pay/pay.go"), text)
				o.Patterns, o.Write = []string{"./..."}, true
				_, _, r := outcome(t, root, o)
				locked, err := os.ReadFile(filepath.Join(root, "idem.lock"))
				if err != nil {
					t.Fatal(err)
				}
				return r.Diagnostics, string(locked)
			}
			if said, text := step(Options{}, source); len(said) > 0 || !strings.Contains(text, `final "*m/pay.Declined".Cause error`) {
				t.Fatalf("at first: %v\n%s", said, text)
			}
			changed := source
			for i := 0; i < len(c.edits); i += 2 {
				changed = strings.ReplaceAll(changed, c.edits[i], c.edits[i+1])
			}
			said, text := step(Options{}, changed)
			if c.refused != "" {
				if len(said) != 1 || said[0].Code != codeLockResult || !strings.Contains(said[0].Text, c.refused) || !strings.Contains(said[0].Text, "run idemgen -accept") {
					t.Errorf("said %v, want %q", said, c.refused)
				}
				if strings.Contains(text, c.has+"\n") && c.has != "codec void" && c.has != `final "m/pay.ErrSoldOut" value` && c.has != `final "*m/pay.Declined".Code string` {
					t.Errorf("it was recorded though it was refused:\n%s", text)
				}
				said, text = step(Options{Accept: true}, changed)
			}
			if len(said) > 0 || !strings.Contains(text, c.has+"\n") {
				t.Errorf("said %v; no %q in\n%s", said, c.has, text)
			}
			if again, after := step(Options{}, changed); len(again) > 0 || after != text {
				t.Errorf("said again %v\n%s", again, after)
			}
		})
	}
}
