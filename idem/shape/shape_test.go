package shape

//lint:file-ignore U1000 Some fields are there to be lost.

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"testing"
)

type (
	step struct{ Run func() error }
	plan struct {
		Steps []step
		Named map[string]*step
	}
	plans  []plan
	opaque struct{ a, b int }
	acc    struct {
		ID     string
		Secret string `json:"-"`
		note   string
	}
	twin struct {
		A string `json:"B"`
		B string
	}
	bag struct {
		Items []string `json:",omitempty"`
		Any   any
	}
	Inner  struct{ ID, x int }
	shadow struct {
		Inner
		ID int
	}
	Outshone struct {
		Mark struct{}
		N    int `json:",omitempty"`
	}
	outshining struct { // json writes the mark, and not that of the embedded struct
		*Outshone
		Mark struct{}
	}
)

func sentences(problems []Problem) (out []string) {
	for _, p := range problems {
		s := p.Path + " " + p.Reason
		if p.Warning {
			s = "warning: " + s
		}
		out = append(out, s)
	}
	return out
}

func TestStorable_SaysWhereAndWhat(t *testing.T) {
	t.Parallel()
	const (
		zero     = ", so it would come back as its zero value"
		hidden   = " is unexported and its struct has no marshal methods" + zero
		function = " is a function, which json can't write" + notStored
	)
	for _, c := range []struct {
		typ  reflect.Type
		want []string
	}{
		{reflect.TypeFor[func()](), []string{function}},
		{reflect.TypeFor[*plan](), []string{"shape.plan.Steps[].Run" + function}}, // said once, though Named leads there, too
		{reflect.TypeFor[[]step](), []string{"[]shape.step.Run" + function}},
		{reflect.TypeFor[map[string][]step](), []string{"[][]shape.step.Run" + function}},
		{reflect.TypeFor[plans](), []string{"[]shape.plan.Steps[].Run" + function}},
		{reflect.TypeFor[[]func()](), []string{"[]" + function}},
		{reflect.TypeFor[struct{ F func() }](), []string{"F" + function}},
		{reflect.TypeFor[[]struct{ F func() }](), []string{"[].F" + function}},
		{reflect.TypeFor[opaque](), []string{"shape.opaque.a" + hidden, "shape.opaque.b" + hidden}},
		{reflect.TypeFor[acc](), []string{`shape.acc.Secret has the tag json:"-"` + zero, "shape.acc.note" + hidden}},
		{reflect.TypeFor[twin](), []string{"shape.twin.B is called B in json, as shape.twin.A is" + zero}},
		{reflect.TypeFor[shadow](), []string{"shape.shadow.Inner.x" + hidden, "shape.shadow.Inner.ID is called ID in json, as shape.shadow.ID is" + zero}},
		{reflect.TypeFor[bag](), []string{
			"shape.bag.Any" + " " + ruleInterface.Reason,
			"warning: shape.bag.Items comes back as nil when it is empty (omitempty)",
		}},
		{reflect.TypeFor[outshining](), []string{
			"warning: shape.outshining.Outshone is an embedded pointer, which comes back as nil when json leaves all of its fields out",
		}},
		{reflect.TypeFor[url.URL](), []string{"url.URL.User.username" + hidden, "url.URL.User.password" + hidden, "url.URL.User.passwordSet" + hidden}},
	} {
		if got := sentences(Storable(Of(c.typ))); !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.typ, got, c.want)
		}
	}
}

// TestStorable_TwoFieldsWithOneTag are both lost. vet does not let such a type be declared.
func TestStorable_TwoFieldsWithOneTag(t *testing.T) {
	t.Parallel()
	field := func(name, tag string) reflect.StructField {
		return reflect.StructField{Name: name, Type: reflect.TypeFor[int](), Tag: reflect.StructTag(tag)}
	}
	typ := reflect.StructOf([]reflect.StructField{field("A", `json:"x"`), field("B", `json:"x"`), field("C", `json:"X"`)})
	want := []string{"A is called x in json, as B is, so it would come back as its zero value", "B is called x in json, as A is, so it would come back as its zero value"}
	if got := sentences(Storable(Of(typ))); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestComparable_SaysWhereAndWhat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ  reflect.Type
		want []string
	}{
		{reflect.TypeFor[[]any](), nil},
		{reflect.TypeFor[url.URL](), nil},
		{reflect.TypeFor[[]func(*int)](), []string{"[] is a function, which can't be compared"}},
		{reflect.TypeFor[chan<- int](), []string{" is a channel, which can't be compared"}},
		{reflect.TypeFor[*plan](), []string{"shape.plan.Steps[].Run is a function, which can't be compared"}},
		{reflect.TypeFor[opaque](), []string{" has unexported fields and no marshal methods of its own, so it can't be compared"}},
		{reflect.TypeFor[struct{ O opaque }](), []string{"O has unexported fields and no marshal methods of its own, so it can't be compared"}},
		{reflect.TypeFor[map[opaque]int](), []string{"[] has unexported fields and no marshal methods of its own, so it can't be compared"}},
		{reflect.TypeFor[*http.Request](), []string{" has unexported fields and no marshal methods of its own, so it can't be compared"}},
		{reflect.TypeFor[struct {
			Body interface{ Read([]byte) (int, error) }
		}](), []string{"Body is a reader, and what it would read can't be compared"}},
	} {
		if got := sentences(Comparable(Of(c.typ))); !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.typ, got, c.want)
		}
	}
}

func TestUnescape_LeavesTagsAlone(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"G[int]":                       "G[int]",
		"G[example.com/x/y%2ez.N]":     "G[example.com/x/y.z.N]",
		"G[a/b%2ec.N,a/b%2ed.N]":       "G[a/b.c.N,a/b.d.N]",
		`G[struct { A int "a%2eb" }]`:  `G[struct { A int "a%2eb" }]`,
		`G[struct { A a%2eb.N "\"" }]`: `G[struct { A a.b.N "\"" }]`,
		"100%":                         "100%",
		"%zz":                          "%zz",
	} {
		if got := unescape(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// TestRules_HaveNamesOfTheirOwn and say what is wrong, and what to do.
func TestRules_HaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.Name] || r.Name == "" || r.Reason == "" || r.Mend == "" {
			t.Errorf("%+v", r)
		}
		seen[r.Name] = true
	}
}
