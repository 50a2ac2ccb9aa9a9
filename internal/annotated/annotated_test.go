package annotated

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

func TestMain(m *testing.M) {
	said := panicOf(func() { NewIdempotentPayments(nil, nil) })
	receipts = numbers{}
	if !strings.Contains(said, "Payments.Charge: its codec is nil") {
		fmt.Println("a wrapper without its codec was made:", said)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func panicOf(f func()) (said string) {
	defer func() { said = fmt.Sprint(recover()) }()
	f()
	return ""
}

// bank fails with err, and counts.
type bank struct {
	err  error
	runs int
}

func (b *bank) Charge(context.Context, string) (Receipt, error) {
	b.runs++
	return Receipt{fmt.Sprint("no. ", b.runs)}, b.err
}

func (b *bank) Refund(context.Context, string) error {
	b.runs++
	return b.err
}

func (b *bank) Quote(context.Context, string) (map[string]int, []string, error) {
	b.runs++
	return map[string]int{"run": b.runs}, []string{"a"}, b.err
}

func wrapped(t *testing.T, b *bank) (*IdempotentPayments, *idemtest.Store) {
	t.Helper()
	store := idemtest.NewStore()
	engine, err := idem.New(store)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	return NewIdempotentPayments(b, engine), store
}

func row(store *idemtest.Store, method string) idem.Row {
	const path = "github.com/idemgen/idemgen/internal/annotated.Payments."
	return store.Row(idem.RowID(idem.Ref{Operation: path + method, Key: "k"}))
}

// An error that releases leaves no row; one that says nothing leaves its claim, abandoned.
func TestErrors_TheirClassesDecideWhatBecomesOfTheClaim(t *testing.T) {
	t.Parallel()
	charge := func(p *IdempotentPayments) error {
		_, err := p.Charge(t.Context(), "k")
		return err
	}
	refund := func(p *IdempotentPayments) error { return p.Refund(t.Context(), "k") }
	for name, c := range map[string]struct {
		err    error
		method string
		call   func(*IdempotentPayments) error
		want   idem.State
	}{
		"no class":                          {ErrDeclined, "Charge", charge, idem.StateAbsent},
		"the interface's, by value":         {ErrGateway, "Charge", charge, idem.StateRunning},
		"the interface's, wrapped":          {fmt.Errorf("charge: %w", ErrGateway), "Charge", charge, idem.StateRunning},
		"the interface's, by type":          {&Limited{3}, "Charge", charge, idem.StateRunning},
		"a mark goes before it":             {idem.NoEffect(ErrGateway), "Charge", charge, idem.StateAbsent},
		"the method's":                      {ErrDeclined, "Refund", refund, idem.StateRunning},
		"the method's before the interface": {&Limited{3}, "Refund", refund, idem.StateAbsent},
		"beside the method's":               {ErrGateway, "Refund", refund, idem.StateRunning},
		"against what the runtime thinks":   {fmt.Errorf("refund: %w", io.EOF), "Refund", refund, idem.StateAbsent},
		"the same, unsaid":                  {io.EOF, "Charge", charge, idem.StateRunning},
	} {
		p, store := wrapped(t, &bank{err: c.err})
		if err := c.call(p); !errors.Is(err, c.err) {
			t.Errorf("%s: the caller got %v", name, err)
		}
		if got := row(store, c.method); got.State != c.want || got.State == idem.StateRunning && !got.Abandoned {
			t.Errorf("%s: the row is %+v, want state %d", name, got, c.want)
		}
	}
}

func TestCodec_ResultsAreStoredByTheOneThatIsNamed(t *testing.T) {
	t.Parallel()
	b := &bank{}
	p, store := wrapped(t, b)
	for range 2 {
		if r, err := p.Charge(t.Context(), "k"); r != (Receipt{"no. 1"}) || err != nil {
			t.Errorf("charged %v, %v", r, err)
		}
	}
	if got := row(store, "Charge"); got.Codec != "number" || string(got.Result) != "no. 1" {
		t.Errorf("the receipt is stored as %q by %s", got.Result, got.Codec)
	}
	for range 2 {
		prices, notes, err := p.Quote(t.Context(), "k")
		if prices["run"] != 2 || len(notes) != 1 || notes[0] != "a" || err != nil {
			t.Errorf("quoted %v, %v, %v", prices, notes, err)
		}
	}
	want := turned([]byte(`{"1":{"run":2},"2":["a"]}`))
	if got := row(store, "Quote"); got.Codec != "sealed+json" || string(got.Result) != string(want) {
		t.Errorf("the quote is stored as %q by %s", got.Result, got.Codec)
	}
	if err := p.Refund(t.Context(), "k"); err != nil {
		t.Error(err)
	}
	if got := row(store, "Refund"); got.Codec != "void" {
		t.Errorf("nothing is stored by %s", got.Codec)
	}
}
