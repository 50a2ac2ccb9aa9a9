package generator

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// This file is what names a claim's row in generated code: operations whose names stay and differ, keys that say something, tenants that
// can't be left out.

// charging is a package with one wrapped interface of one method, whose operation has a name of its own unless op is empty.
func charging(pkg, iface, method, op string) string {
	if op != "" {
		op = "\n\t//idem:op " + op
	}
	return fmt.Sprintf("package %s\n\nimport \"context\"\n\n//idem:wrap\ntype %s interface {\n\t//idem:key id%s\n\t%s(ctx context.Context, id string) error\n}\n",
		pkg, iface, op, method)
}

// operationNames are the names that a run's outputs give their operations, in order.
func operationNames(r *Result) (names []string) {
	for _, f := range r.Files {
		for line := range strings.Lines(string(f.Content)) {
			if _, rest, ok := strings.Cut(line, `Name: `); ok {
				names = append(names, strings.Split(rest, `"`)[1])
			}
		}
	}
	return names
}

// TestG9: two methods with one operation would give each other's outcomes to their callers, so there are none.
func TestG9_TwoMethodsOfOneOperationAreRefused(t *testing.T) {
	t.Parallel()
	root := tree(
		t, "go.mod: module m\n\ngo 1.26\n",
		"one/a.go: package one"+importContext+`

//idem:wrap
type Cards interface {
	//idem:key id
	//idem:op pay
	Charge(ctx context.Context, id string) error
	//idem:key id
	//idem:op pay
	Refund(ctx context.Context, id string) error
}
`,
		"two/a.go: "+charging("two", "Cards", "Charge", "pay"), "two/b.go: "+charging("two", "Banks", "Charge", "pay"),
		"across/a/a.go: "+charging("a", "Cards", "Charge", "pay"), "across/b/b.go: "+charging("b", "Cards", "Charge", "pay"),
		"taken/a.go: "+charging("taken", "Cards", "Charge", ""), "taken/b.go: "+charging("taken", "Banks", "Charge", "m/taken.Cards.Charge"),
		"differ/a.go: "+charging("differ", "Cards", "Charge", ""), "differ/b.go: "+charging("differ", "Banks", "Charge", ""),
		"differ/c/c.go: "+charging("c", "Cards", "Charge", ""),
	)
	for name, want := range map[string][]string{
		"one": {"one/a.go:11:2 IDEM051"}, "two": {"two/b.go:8:2 IDEM051"}, "taken": {"taken/b.go:8:2 IDEM051"},
		"across/...": {"across/b/b.go:8:2 IDEM051"}, "differ/...": nil,
	} {
		files, said, r := outcome(t, root, Options{Patterns: []string{"./" + name}})
		if !slices.Equal(said, want) {
			t.Errorf("%s: said %q, want %q", name, said, want)
		}
		if (len(files) > 0) != (want == nil) { // of packages that share one nothing is written
			t.Errorf("%s: written are %q", name, files)
		}
		if want == nil {
			names := operationNames(r)
			slices.Sort(names)
			if want := []string{"m/differ.Banks.Charge", "m/differ.Cards.Charge", "m/differ/c.Cards.Charge"}; !slices.Equal(names, want) {
				t.Errorf("methods of one name are the operations %q, want %q", names, want)
			}
		}
	}
}

// TestG10: code moves and is renamed, and rows stay. With a name of its own an operation finds them.
func TestG10_AnOperationKeepsItsNameWhenItsCodeMoves(t *testing.T) {
	t.Parallel()
	root := tree(
		t, "go.mod: module m\n\ngo 1.26\n",
		"before/pay/a.go: "+charging("pay", "Payments", "Charge", "shop.charge"),
		"after/billing/a.go: "+charging("billing", "Billing", "Take", "shop.charge"),
		"unnamed/pay/a.go: "+charging("pay", "Payments", "Charge", ""),
		"unnamed/billing/a.go: "+charging("billing", "Payments", "Charge", ""),
	)
	for dir, want := range map[string]string{
		"before/pay": "shop.charge", "after/billing": "shop.charge",
		"unnamed/pay": "m/unnamed/pay.Payments.Charge", "unnamed/billing": "m/unnamed/billing.Payments.Charge",
	} {
		_, said, r := outcome(t, root, Options{Patterns: []string{"./" + dir}})
		if names := operationNames(r); len(said) != 0 || !slices.Equal(names, []string{want}) {
			t.Errorf("%s: operations %q, said %q; want %s", dir, names, said, want)
		}
	}
}

// TestG11: a key is what says itself in text. What prints as its address, or as all that it holds, is refused.
func TestG11_KeysAreOfKindsThatSayThemselves(t *testing.T) {
	t.Parallel()
	source := func(types, parameter, key string) string {
		return "package keys\n\nimport (\n\t\"context\"\n\t\"fmt\"\n)\n\nvar _ fmt.Stringer\n\n" + types + "\n\n//idem:wrap\ntype Keys interface {\n\t//idem:key " +
			key + "\n\tDo(ctx context.Context, " + parameter + ") error\n}\n"
	}
	for name, c := range map[string]struct {
		types, parameter, key string
		call                  string // how the key is made; empty: it is refused
	}{
		"struct":                  {"type order struct{ ID string }", "o order", "o", ""},
		"pointer to a struct":     {"type order struct{ ID string }", "o *order", "o", ""},
		"its field":               {"type order struct{ ID string }", "o order", "o.ID", "idem.StringKey(o.ID)"},
		"its method":              {"type order struct{ ID string }\n\nfunc (o order) Key() string { return o.ID }", "o order", "o.Key()", "idem.StringKey(o.Key())"},
		"struct that is Stringer": {"type order struct{ ID string }\n\nfunc (o order) String() string { return o.ID }", "o order", "o", "idem.StringerKey(o)"},
		"struct that marshals": {
			"type order struct{ ID string }\n\nfunc (o order) MarshalText() ([]byte, error) { return []byte(o.ID), nil }", "o order", "o", "idem.TextKey(o)",
		},
		"struct that only formats itself": {"type order struct{ ID string }\n\nfunc (o order) Format(fmt.State, rune) {}", "o order", "o", ""},
		"slice":                           {"", "o []string", "o", ""},
		"array":                           {"", "o [2]string", "o", ""},
		"map":                             {"", "o map[string]string", "o", ""},
		"any":                             {"", "o any", "o", ""},
		"interface":                       {"", "o interface{ Other() }", "o", ""},
		"function":                        {"", "o func() string", "o", ""},
		"float":                           {"", "o float64", "o", ""},
		"bool":                            {"", "o bool", "o", ""},
		"bytes":                           {"", "o []byte", "o", ""},
		"pointer to a string":             {"", "o *string", "o", ""},
		"struct beside a string":          {"type order struct{ ID string }", "id string, o order", "id, o", ""},
		"Stringer":                        {"", "o fmt.Stringer", "o", "idem.StringerKey(o)"},
		"string":                          {"type id string", "o id", "o", "idem.StringKey(o)"},
		"integer":                         {"type id int32", "o id", "o", "idem.IntKey(o)"},
		"UUID":                            {"type id [16]byte", "o id", "o", "idem.UUIDKey(o)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := tree(t, "go.mod: module m\n\ngo 1.26\n", "a.go: "+source(c.types, c.parameter, c.key))
			files, _, r := outcome(t, root, Options{})
			if c.call != "" {
				if len(files) != 1 || !strings.Contains(string(r.Files[0].Content), c.call) {
					t.Errorf("%v\n%s", r.Diagnostics, r.Files)
				}
				return
			}
			if len(files) != 0 || len(r.Diagnostics) == 0 || r.Diagnostics[0].Code != "IDEM032" || !strings.Contains(r.Diagnostics[0].Text, "can't be a key") {
				t.Errorf("files %q, diagnostics %v", files, r.Diagnostics)
			}
		})
	}
}
