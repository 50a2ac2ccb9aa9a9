package templates

import (
	"math"
	"testing"
	"time"

	"github.com/dave/jennifer/jen"
)

func TestOnlyGivenSettingsAreWritten(t *testing.T) {
	t.Parallel()
	d, n := 90*time.Second, 3
	all := Operation{
		Result: jen.Id("R"), Stored: "o", Scoped: true, Policy: "PolicyPoll", MaxWait: &d, Lease: &d, NoRenew: true, TTL: &d,
		Takeover: "TakeoverHold", MaxAttempts: &n, Tx: "TxOwn", Detach: true,
		Errors: []ErrorRule{{Class: "Release", Value: jen.Id("ErrX")}},
	}
	want := `idem.Operation[R]{
	Name:        "o",
	Scoped:      true,
	Policy:      idem.PolicyPoll,
	MaxWait:     90 * time.Second,
	Lease:       90 * time.Second,
	NoRenew:     true,
	TTL:         90 * time.Second,
	Takeover:    idem.TakeoverHold,
	MaxAttempts: 3,
	Errors:      []idem.ErrorRule{idem.ReleaseIs(ErrX)},
	Tx:          idem.TxOwn,
	Detach:      true,
}`
	if got := rendered(t, []jen.Code{all.value()}); got != want {
		t.Errorf("got\n%s", got)
	}
	if got, want := rendered(t, []jen.Code{Operation{Result: jen.Id("R"), Stored: "o"}.value()}), `idem.Operation[R]{Name: "o"}`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestErrorRulesStandOneALine(t *testing.T) {
	t.Parallel()
	o := Operation{Errors: []ErrorRule{
		{Class: "Final", Code: "shop.ErrSoldOut", Value: jen.Id("ErrSoldOut")},
		{Class: "Final", Type: jen.Op("*").Id("NotFound").Types(jen.Id("Order"))},
		{Class: "Unknown", Value: jen.Qual("io", "EOF")},
	}}
	want := `[]idem.ErrorRule{
	idem.FinalIs("shop.ErrSoldOut", ErrSoldOut),
	idem.FinalAs[*NotFound[Order]](),
	idem.UnknownIs(io.EOF),
}`
	if got := rendered(t, []jen.Code{o.errors()}); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestNamesOfGenericOperations(t *testing.T) {
	t.Parallel()
	o := Operation{Stored: "shop.Table", TypeArgs: []jen.Code{jen.Id("K"), jen.Id("V")}, Suffix: ".Put"}
	want := `"shop.Table[" + idem.TypeName[K]() + "," + idem.TypeName[V]() + "].Put"`
	if got := rendered(t, []jen.Code{o.stored()}); got != want {
		t.Errorf("got %s", got)
	}
}

func TestDurationsAreReadable(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		time.Hour: "time.Hour", 48 * time.Hour: "48 * time.Hour", 90 * time.Minute: "90 * time.Minute", 30 * time.Second: "30 * time.Second",
		1500 * time.Millisecond: "1500 * time.Millisecond", time.Second + time.Microsecond: "1000001 * time.Microsecond", 7: "7 * time.Nanosecond",
		math.MaxInt64: "idem.Forever",
	} {
		if got := rendered(t, []jen.Code{duration(d)}); got != want {
			t.Errorf("%s is written as %s", d, got)
		}
	}
}
