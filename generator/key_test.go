package generator

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

func TestExpressionsAreSplitAtTopLevelCommas(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string][]string{
		"k":                            {"k"},
		"shop, n":                      {"shop", "n"},
		`strings.Join(ids, ",")`:       {`strings.Join(ids, ",")`},
		"m[a,b] , T{1, 2},f[int,K](x)": {"m[a,b]", "T{1, 2}", "f[int,K](x)"},
		"func(a, b int) int { return a }(x, y), z": {"func(a, b int) int { return a }(x, y)", "z"},
		"k /* the, key */":                         {"k"},
		"a /* x */ + b, c // d, e":                 {"a         + b", "c"},
		"'\\'', \"\\\"\", `,`":                     {`'\''`, `"\""`, "`,`"},
		"a)":                                       {"a)"},
	} {
		parts, gap := split(arg, 0)
		var got []string
		for _, p := range parts {
			got = append(got, p.text)
			if !strings.HasPrefix(arg[p.at:], p.text[:1]) {
				t.Errorf("split(%q): %q is not at byte %d", arg, p.text, p.at)
			}
		}
		if gap >= 0 || !slices.Equal(got, want) {
			t.Errorf("split(%q) = %q, gap %d; want %q", arg, got, gap, want)
		}
	}
	for arg, want := range map[string]int{"a,,b": 2, "a,": 1, ",a": 0, "a, /* b */": 1, "a, , b": 3} {
		if _, gap := split(arg, 0); gap != want {
			t.Errorf("split(%q): an expression is missing at %d, want %d", arg, gap, want)
		}
	}
	if parts, _ := split("except a, b", 7); len(parts) != 2 || parts[0] != (part{"a", 7}) || parts[1] != (part{"b", 10}) {
		t.Errorf("from byte 7 on: %+v", parts)
	}
}

// keySource declares what the expressions below are about. Its imports are made up, so that no package has to be built.
const keySource = `package pay

import (
	"strings"
	. "dotted"
)

type (
	ID     string
	Count  int
	Text   struct{ s string }
	TextP  struct{ s string }
	Name   struct{ s string }
	NameP  struct{ s string }
	Both   [16]byte
	UUID   [16]byte
	Meta   struct{ Key *string }
	Keyer  interface{ Key() string }
	Mid    struct{ *Meta }
	Req    struct {
		ID   string
		Meta *Meta
		Tags []string
		Arr  *[3]string
		K    Keyer
		Mid
		Keyer
		N    float64
		tag  string
	}
)

func (Text) MarshalText() ([]byte, error)   { return nil, nil }
func (*TextP) MarshalText() ([]byte, error) { return nil, nil }
func (Name) String() string                 { return "" }
func (*NameP) String() string               { return "" }
func (Both) String() string                 { return "" }
func (*Req) GetMeta() *Meta                 { return nil }
func (Req) Value() string                   { return "" }

const prefix = "p"

var (
	last string
	_    = strings.ToUpper
	_    = Dot
)

func Sum(b []byte) string         { return "" }
func two() (string, string)       { return "", "" }
func nothing()                    {}
func conv[T any](t T) string      { return "" }

type Store[T ~string, E Keyer, N ~int | ~int8] interface {
	Put(k string, id ID, n Count, u uint8, text Text, textP TextP, name Name, nameP NameP, both Both, uuid UUID, raw [16]byte, p *Req, r Req,
		pp **Req, v any, b []byte, ok bool, t T, e E, num N, string int, ps *string, keyer Keyer, _ int) error
}
`

// keyEnvironment is where the expressions are read: the method of Store, in package pay, for an output in the package home.
func keyEnvironment(t *testing.T, home string) func(arg string) ([]*expr, *report) {
	t.Helper()
	fset := token.NewFileSet()
	deps := map[string]*types.Package{}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}}
	check := func(path, text string) (*types.Package, *ast.File) {
		f, err := parser.ParseFile(fset, path+".go", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		config := types.Config{Importer: importerOf(deps)}
		pkg, err := config.Check(path, fset, []*ast.File{f}, info)
		if err != nil {
			t.Fatal(err)
		}
		deps[path] = pkg
		return pkg, f
	}
	check("strings", "package strings; func ToUpper(s string) string { return s }")
	check("dotted", "package dotted; func Dot(s string) string { return s }")
	pkg, tree := check("example.com/pay", keySource)
	file := &sourceFile{path: "pay.go", tree: tree, text: []byte(keySource)}
	s := &source{Package: &packages.Package{PkgPath: pkg.Path(), Name: pkg.Name(), Types: pkg, TypesInfo: info, Dir: "."}, files: []*sourceFile{file}}
	store := pkg.Scope().Lookup("Store").Type().(*types.Named)
	sig := store.Underlying().(*types.Interface).Method(0).Signature()
	return func(arg string) ([]*expr, *report) {
		rep := newReport("/")
		r := &reader{program: &program{fset: fset, report: rep, byTypes: map[*types.Package]*source{pkg: s}}}
		n, _ := parseAnnotation("//idem:key "+arg, token.Position{Filename: "/pay.go", Line: 1, Column: 1})
		e := &environment{
			r: r, s: s, home: home, method: "Store.Put", note: n, in: s, file: file, sig: sig, typeArgs: matchTypeParams(sig, sig),
		}
		m := &method{Context: -1, Sig: sig}
		r.key(e, m)
		return m.Keys, rep
	}
}

type importerOf map[string]*types.Package

func (i importerOf) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

func TestKeyKinds(t *testing.T) {
	t.Parallel()
	read := keyEnvironment(t, "example.com/pay")
	for arg, want := range map[string]keyKind{
		"k": keyString, "id": keyString, "t": keyString, "*ps": keyString, "k + r.ID": keyString, "Sum(b)": keyString, "Dot(k)": keyString,
		"strings.ToUpper(k)": keyString, "v.(ID)": keyString, "conv[T](t)": keyString, "prefix + k": keyString, `func() ID { return id }()`: keyString,
		"n": keyInt, "num": keyInt, "len(b)": keyInt, "string": keyInt, "int64(u)": keyInt, "r.Tags[0][0] & 1": keyUint, "u": keyUint,
		"text": keyText, "&textP": keyText, "textP": keyTextAddr, "name": keyStringer, "nameP": keyStringerAddr, "both": keyStringer,
		"uuid": keyUUID, "raw": keyUUID, "e.Key()": keyString,
	} {
		keys, rep := read(arg)
		if len(rep.found) > 0 || len(keys) != 1 || keys[0].Kind != want {
			t.Errorf("%s: %+v, %v; want kind %d", arg, keys, rep.found, want)
		}
	}
}

func TestBadKeysAreRefusedAtTheToken(t *testing.T) {
	t.Parallel()
	read := keyEnvironment(t, "example.com/pay")
	for arg, want := range map[string]string{ // what is at the place, the code, and what is said
		"r..ID":           ".ID|IDEM030|expected selector",
		"k +/ k":          "/ k|IDEM030|expected operand",
		"k; k":            "; k|IDEM030|separate several by commas",
		"k)":              ")|IDEM030|separate several by commas",
		"f(k":             "|IDEM030|missing",
		`"x`:              `"x|IDEM030|not terminated`,
		"k,,k":            ",k|IDEM030|missing",
		"nope":            "nope|IDEM031|undefined: `nope`",
		"k + nope.ID":     "nope|IDEM031|undefined: `nope`",
		"_":               "_|IDEM031|`_` has no value",
		"r.Nope":          "Nope|IDEM031|no field or method",
		"r.ID + n":        "r.ID|IDEM031|mismatched types",
		"strings.Nope(k)": "Nope|IDEM031|undefined",
		"strings":         "strings|IDEM031|not in selector",
		"T":               "T|IDEM031|is a type",
		"two()":           "two|IDEM031|several values",
		"nothing()":       "nothing|IDEM031|no value",
		"nil":             "nil|IDEM031|nil",
		"len":             "len|IDEM031|not a value",
		"ok":              "ok|IDEM032|type bool",
		"k == r.ID":       "k|IDEM032|bool",
		"r.N":             "r.N|IDEM032|float64",
		"r":               "r|IDEM032|type Req",
		"ps":              "ps|IDEM032|write *ps",
		"b":               "b|IDEM032|[]byte",
		"v":               "v|IDEM032|any",
		"k, r.N, ok":      "r.N|IDEM032|float64",
		"e":               "e|IDEM032|type E",
		`"constant"`:      `"constant"|IDEM033|constant`,
		`prefix, 3`:       `prefix|IDEM033|constant`,
	} {
		_, rep := read(arg)
		at, rest, _ := strings.Cut(want, "|")
		code, says, _ := strings.Cut(rest, "|")
		if len(rep.found) == 0 {
			t.Errorf("%s was not refused", arg)
			continue
		}
		d := rep.found[0]
		if place := arg[d.Col-len("//idem:key ")-1:]; !strings.HasPrefix(place, at) || d.Code != code || !strings.Contains(d.Text, says) {
			t.Errorf("%s: %s at %q; want %s, %s at %q", arg, d, place, code, says, at)
		}
	}
	if _, rep := read("r.N, ok"); len(rep.found) != 2 {
		t.Errorf("two bad parts are reported as %v", rep.found)
	}
	if _, rep := read("a + b"); len(rep.found) != 1 { // b is a parameter
		t.Errorf("one unknown name is reported as %v", rep.found)
	}
}

func TestNamesOutOfReachAreRefused(t *testing.T) {
	t.Parallel()
	home, other := keyEnvironment(t, "example.com/pay"), keyEnvironment(t, "example.com/gen")
	for arg, at := range map[string]string{
		"r.tag": "tag", "prefix + k": "prefix", "k + last": "last", "conv(k)": "conv", "Req{tag: k}.ID": "tag",
	} {
		if _, rep := home(arg); len(rep.found) > 0 {
			t.Errorf("%s in its own package: %v", arg, rep.found)
		}
		_, rep := other(arg)
		if len(rep.found) != 1 || rep.found[0].Code != codeOutOfReach || !strings.HasPrefix(arg[rep.found[0].Col-12:], at) {
			t.Errorf("%s in another package: %v; want %s refused", arg, rep.found, at)
		}
	}
	for _, arg := range []string{"Sum(b)", "r.ID", "func(last ID) ID { return last }(id)", "strings.ToUpper(Dot(k))"} {
		if _, rep := other(arg); len(rep.found) > 0 {
			t.Errorf("%s in another package: %v", arg, rep.found)
		}
	}
}

// Identifiers that mean something else where the expression is written again are references; all others are copied.
func TestReferences(t *testing.T) {
	t.Parallel()
	read := keyEnvironment(t, "example.com/pay")
	for arg, want := range map[string]string{
		"k":                                    "param k",
		"r.ID":                                 "param r",
		"k + k":                                "param k, param k",
		"strings.ToUpper(k)":                   "import strings, param k",
		"Sum(b)":                               "object Sum, param b",
		"Dot(k)":                               "object Dot, param k",
		"prefix + k":                           "object prefix, param k",
		"conv[T](t)":                           "object conv, object T, param t",
		"Req{ID: k}.ID":                        "object Req, param k",
		"string + len(b)":                      "param string, param b",
		"func(k ID) ID { return k }(ID(r.ID))": "object ID, object ID, object ID, param r",
	} {
		keys, rep := read(arg)
		if len(keys) != 1 {
			t.Errorf("%s: %v", arg, rep.found)
			continue
		}
		var got []string
		for _, r := range keys[0].Refs {
			text := arg[r.Start:r.End]
			switch {
			case r.Param >= 0:
				text = "param " + text
			case r.Import != nil:
				text = "import " + text
			case r.Object != nil:
				text = "object " + text
			}
			got = append(got, text)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s; want %s", arg, strings.Join(got, ", "), want)
		}
	}
}

func TestNilPointersOnTheWay(t *testing.T) {
	t.Parallel()
	read := keyEnvironment(t, "example.com/pay")
	for arg, want := range map[string]string{
		"k":                               "",
		"r.ID":                            "",
		"p.ID":                            "p",
		"*p.Meta.Key":                     "p, p.Meta, p.Meta.Key",
		"*p.GetMeta().Key":                "p, p.GetMeta(), p.GetMeta().Key",
		"p.Value()":                       "p",
		"(*pp).ID":                        "pp, (*pp)",
		"r.Arr[0]":                        "r.Arr",
		"r.Tags[0]":                       "",
		"r.K.Key()":                       "r.K",
		"keyer.Key()":                     "keyer",
		"e.Key()":                         "", // nobody knows whether it can be nil
		"v.(*Req).ID":                     "v.(*Req)",
		"v.(ID)":                          "",
		"*new(ID)":                        "", // never nil
		"p.ID + p.ID":                     "p",
		"(&r).ID":                         "",
		"string + len(p.Tags)":            "p",
		"Sum([]byte(p.ID))":               "p",
		"conv(p != nil && p.ID == k)":     "",
		"func() ID { return ID(p.ID) }()": "",
		"*r.Mid.Meta.Key":                 "r.Mid.Meta, r.Mid.Meta.Key",
		"*r.Mid.Key":                      "r.Mid.Meta, r.Mid.Meta.Key", // promoted through the embedded pointer
	} {
		keys, rep := read(arg)
		if len(keys) != 1 {
			t.Errorf("%s: %v", arg, rep.found)
			continue
		}
		var got []string
		for _, s := range keys[0].NilChecks {
			got = append(got, keys[0].Text[s.Start:s.End])
		}
		if keys[0].Written != arg {
			t.Errorf("%s is called %s", arg, keys[0].Written)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: nil checks of %s; want %s", arg, strings.Join(got, ", "), want)
		}
	}
}
