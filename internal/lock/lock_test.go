package lock

import (
	"reflect"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file is about the text: what is written is read again as it was, and what can't be understood is refused where it stands.

type node struct {
	Name string          `json:"odd name"`
	Next *node           `json:"next"`
	Kids []node          `json:"kids"`
	Odd  map[int8][3]int `json:"a.b[]*"`
	Both [][]map[string]*node
	Text int64 `json:",string"`
	Some *int  `json:"some,omitempty"`
	*Omits
}

type pointers ***int

func layoutOf[T any]() *shape.Layout { return shape.LayoutOf(shape.Of(reflect.TypeFor[T]())) }

func sample() *File {
	return &File{
		Interfaces: []*Interface{{Folder: "./pay", Name: "Payments", Forwards: []string{"Close", "Balance"}}},
		Operations: []*Operation{
			{
				Name: "pay.Payments.Void", Folder: ".", Method: "Payments.Void", Key: []string{"context"}, TTL: "forever", Codec: "void",
			},
			{
				Name: "pay.Payments.Charge", Folder: "./pay", Method: "Payments.Charge", Parameters: []string{"req", "2"}, Key: []string{"$req.ID string", "len($2) int"},
				Scope: "$req.Tenant string", TTL: "24h", Kept: "48h", Codec: "json",
				Arguments: []Argument{
					{"req.ID+\" x\"", shape.ArgumentLayout(shape.Of(reflect.TypeFor[string]()))},
					{"req", shape.ArgumentLayout(shape.Of(reflect.TypeFor[map[struct{ A, B int }]*node]()))},
				},
				Result: Shape{"0123456789abcdef", layoutOf[*node]()}, Reads: []string{"2222222222222222", "1111111111111111"},
				Upcasts: []Upcast{{Shape{"fedcba9876543210", layoutOf[[]pointers]()}, []string{"3333333333333333"}}},
				Errors: []StoredError{
					{"shop.ErrSoldOut", &shape.Layout{Form: FormValue}},
					{"error", &shape.Layout{Form: FormText}},
					{`*shop.Missing[struct{ A "b.c" }]`, shape.ErrorLayout(shape.Of(reflect.TypeFor[*struct {
						Next *node
						Err  error
					}]()))},
				},
			},
		},
	}
}

func TestFormat_WhatIsWrittenIsReadAsItWas(t *testing.T) {
	t.Parallel()
	text := string(Format(sample()))
	f, wrong := Parse([]byte(text))
	if wrong != nil {
		t.Fatalf("%v in\n%s", wrong, text)
	}
	if again := string(Format(f)); again != text {
		t.Errorf("written\n%s\nand again\n%s", text, again)
	}
	charge, was := f.Operation("pay.Payments.Charge"), sample().Operations[1]
	if changes := ErrorChanges(was, charge); len(changes) > 0 || len(charge.Errors) != len(was.Errors) {
		t.Errorf("errors came back as %v: %v", charge.Errors, changes)
	}
	if changes := Unreadable(was.Result.Layout, charge.Result.Layout); len(changes) > 0 {
		t.Errorf("the result is another one: %v", changes)
	}
	if changes := append(Unreadable(charge.Result.Layout, was.Result.Layout), Mismatches(was, charge)...); len(changes) > 0 {
		t.Errorf("it is another one: %v", changes)
	}
	if !SameKey(was, charge) {
		t.Error("the key is another one")
	}
}

func TestParse_LineEndsOfWindowsAndOrderDoNotMatter(t *testing.T) {
	t.Parallel()
	text := string(Format(sample()))
	blocks := strings.SplitAfter(text, "\n\n")
	moved := strings.Join([]string{blocks[0], blocks[3], "\n\n", blocks[1], blocks[2]}, "")
	for _, other := range []string{strings.ReplaceAll(text, "\n", "\r\n"), moved} {
		f, wrong := Parse([]byte(other))
		if wrong != nil || string(Format(f)) != text {
			t.Errorf("%v of\n%s", wrong, other)
		}
	}
}

// Each is a change of the sample, by which one line becomes another.
func TestParse_RefusesWhatItDoesNotUnderstandWhereItStands(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ from, to, want string }{
		"a merge conflict":      {"\tttl 24h\n", "<<<<<<< HEAD\n\tttl 24h\n=======\n\tttl 1h\n>>>>>>> x\n", "16:1: a merge conflict is not resolved; take either side"},
		"a newer version":       {"version 1", "version 2", "3:9: a newer idemgen wrote this file"},
		"no version":            {"version 1\n", "", "4:1: expected a line `version 1`"},
		"a version of no sense": {"version 1", "version one", "3:9: `one` is not a version"},
		"an unknown block":      {"interface ./pay", "interfaces ./pay", "5:1: `interfaces` begins neither"},
		"an unknown word":       {"\tttl 24h", "\tlifetime 24h", "16:2: unknown word `lifetime`; a newer idemgen"},
		"an unknown fact":       {"\tforwards Close", "\tbackwards Close", "7:2: unknown word `backwards`"},
		"a fact twice":          {"\tttl 24h", "\tttl 24h\n\tttl 48h", "17:2: `ttl of pay.Payments.Charge` stands at line 16 already"},
		"an operation twice":    {"operation pay.Payments.Void", "operation pay.Payments.Charge", "`operation pay.Payments.Charge` stands at line 9 already"},
		"no key":                {"\tkey context\n", "", "`pay.Payments.Void` has no line `key`"},
		"no shape":              {"\tshape 0123456789abcdef\n", "", "9:1: `pay.Payments.Charge` has no line `shape`"},
		"half a hash":           {"\tshape 0123456789abcdef", "\tshape 0123", "`0123` is not the hash"},
		"a field of nothing":    {"\tresult.kids []", "\tresult.kids.x []", "there is no struct at result.kids"},
		"a path of nothing":     {"^result\n", "^nowhere\n", "nothing stands at nowhere"},
		"an open bracket":       {"[3]int", "[3int", "has an opening bracket only"},
		"a length of no sense":  {"[3]int", "[x]int", "x is not the length"},
		"a field twice":         {"\tresult.kids ", "\tresult.next int\n\tresult.kids ", "result.next is there twice"},
		"an empty fact":         {"\tttl 24h", "\tttl", "nothing follows `ttl`"},
		"a name without quotes": {`result."odd name"`, "result.odd:name", `"odd:name" has to be quoted`},
		"an empty file":         {string(Format(sample())), "", "1:1: there is no version line"},
	} {
		text := strings.Replace(string(Format(sample())), c.from, c.to, 1)
		if text == string(Format(sample())) {
			t.Errorf("%s: there is no %q to change in\n%s", name, c.from, text)
			continue
		}
		_, wrong := Parse([]byte(text))
		if wrong == nil || !strings.Contains(wrong.Error(), c.want) {
			t.Errorf("%s: %v; want %s in\n%s", name, wrong, c.want, text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(string(Format(sample())))
	f.Add("version 1\n\noperation x\n\tmethod . X.Y\n\tkey context\n\tttl 24h\n\tcodec json\n\tshape 0123456789abcdef\n\tresult ?^result\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, wrong := Parse([]byte(text))
		if wrong != nil {
			if wrong.Line < 1 || wrong.Col < 1 || wrong.Text == "" {
				t.Errorf("%#v", wrong)
			}
			return
		}
		written := Format(file)
		again, wrong := Parse(written)
		if wrong != nil {
			t.Fatalf("%v in\n%s\nout of\n%q", wrong, written, text)
		}
		if second := Format(again); string(second) != string(written) {
			t.Errorf("\n%s\nand then\n%s", written, second)
		}
		for _, op := range file.Operations {
			if op.Result.Layout != nil {
				Unreadable(op.Result.Layout, op.Result.Layout)
			}
			Mismatches(op, op)
			SameKey(op, op)
		}
	})
}

func TestExpression_MarksParametersAndNormalisesBlanks(t *testing.T) {
	t.Parallel()
	replace := func(text string) func(int) (string, bool) {
		return func(at int) (string, bool) {
			switch {
			case strings.HasPrefix(text[at:], "req"):
				return "$req", true
			case strings.HasPrefix(text[at:], "strconv"):
				return `"strconv"`, true
			}
			return "", false
		}
	}
	for text, want := range map[string]string{
		`req.ID`:                        `$req.ID`,
		`req . Lines [ 0 ] . SKU+"x"`:   `$req.Lines[0].SKU+"x"`,
		`strconv.Itoa(int(req.N))`:      `"strconv".Itoa(int($req.N))`,
		`"req  " + req.A`:               `"req  "+$req.A`,
		`func() string{return req.A}()`: `func()string{return $req.A}()`,
	} {
		if got := Expression(text, replace(text)); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestSameKey_ARenamedParameterIsTheSame(t *testing.T) {
	t.Parallel()
	op := func(parameters, key string) *Operation {
		return &Operation{Parameters: strings.Fields(parameters), Key: strings.Split(key, "; ")}
	}
	for _, c := range []struct {
		was, is *Operation
		same    bool
	}{
		{op("req", "$req.ID string"), op("r", "$r.ID string"), true},
		{op("req", `$req.ID+"$req" string`), op("r", `$r.ID+"$req" string`), true},
		{op("req", "$req.ID string"), op("tenant req", "$req.ID string"), true},
		{op("a b", "$a string"), op("b a", "$a string"), true},
		{op("req", "string($req.ID) string"), op("r", "string($r.ID) string"), true},
		{op("req", "$req.IDs[0] string"), op("r", "$r.IDs[0] string"), true},
		{op("a b", "$a string"), op("a b", "$b string"), false},
		{op("a b", "$a string"), op("c b", "$b string"), false},
		{op("a", "$a string"), op("a", "$a int"), false},
		{op("a b", "$a string; $b int"), op("a b", "$b int; $a string"), false},
		{op("a", "$a string"), op("a", "context"), false},
	} {
		if got := SameKey(c.was, c.is); got != c.same {
			t.Errorf("%v and %v: %t", c.was.Key, c.is.Key, got)
		}
		c.was.Scope, c.is.Scope = c.was.Key[0], c.is.Key[0]
		c.was.Key, c.is.Key = []string{"context"}, []string{"context"}
		if got := SameKey(c.was, c.is); got != (c.same || c.was.Scope == c.is.Scope) {
			t.Errorf("scopes %s and %s: %t", c.was.Scope, c.is.Scope, got)
		}
	}
}
