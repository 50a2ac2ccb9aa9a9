package generator

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/internal/lock"
)

// This file is about what idem.lock holds of messages, and which changes of a message stored rows survive.

// receiptFields are those of the message that the changes are made to.
const receiptFields = `
	Id    string  ` + "`protobuf:\"bytes,1,opt,name=id,proto3\"`" + `
	Cents int32   ` + "`protobuf:\"varint,2,opt,name=cents,proto3\"`" + `
	Note  *string ` + "`protobuf:\"bytes,3,opt,name=note,proto3,oneof\"`" + `
	Lines []*Line ` + "`protobuf:\"bytes,4,rep,name=lines,proto3\"`" + `
	Paid  isPaid  ` + "`protobuf_oneof:\"paid\"`" + `
`

const receiptSource = `package pb

type Receipt struct {` + receiptFields + `}

type isPaid interface{ isPaid() }

type Receipt_Card struct {
	Card string ` + "`protobuf:\"bytes,5,opt,name=card,proto3,oneof\"`" + `
}

func (*Receipt_Card) isPaid() {}

type Line struct {
	Sku   string  ` + "`protobuf:\"bytes,1,opt,name=sku,proto3\"`" + `
	Parts []*Line ` + "`protobuf:\"bytes,2,rep,name=parts,proto3\"`" + `
}
`

// messageEntry is the entry of an operation whose result is the message of a source, as it is read from the file again.
func messageEntry(t *testing.T, source string) *lock.Operation {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "pb.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{}).Check("example.com/pb", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	op := &lock.Operation{Name: "op", Folder: ".", Method: "I.M", Key: []string{"$id string"}, TTL: "24h", Codec: "proto"}
	op.Result.Layout = messageLayout(types.NewPointer(pkg.Scope().Lookup("Receipt").Type()))
	text := lock.Format(&lock.File{Operations: []*lock.Operation{op}})
	f, wrong := lock.Parse(text)
	if wrong != nil {
		t.Fatalf("%v in\n%s", wrong, text)
	}
	if again := lock.Format(f); string(again) != string(text) {
		t.Errorf("%s\nis read as\n%s", text, again)
	}
	return f.Operations[0]
}

func TestMessageLayout_ChangesThatRowsSurvive(t *testing.T) {
	t.Parallel()
	was := messageEntry(t, receiptSource)
	for name, c := range map[string]struct {
		edits []string
		says  string
	}{
		"nothing":                         {nil, ""},
		"a field is renamed":              {[]string{"Cents int32", "Money int32", "name=cents", "name=money"}, ""},
		"a field is added":                {[]string{"Note  *string", "More int64 `protobuf:\"varint,9,opt,name=more,proto3\"`\n\tNote *string"}, ""},
		"the order is another":            {[]string{"type Line struct {", "type Line struct {\n\tNew bool `protobuf:\"varint,3,opt,name=new,proto3\"`"}, ""},
		"a number gets wider":             {[]string{"Cents int32", "Cents int64"}, ""},
		"a number gets narrower":          {[]string{"Cents int32", "Cents int16"}, "`result.2` was int32"},
		"a number is written otherwise":   {[]string{"varint,2", "zigzag32,2"}, "`result.2` was int32"},
		"a number is a float now":         {[]string{"Cents int32   `protobuf:\"varint", "Cents float64 `protobuf:\"fixed64"}, "`result.2` was int32"},
		"a field gets another number":     {[]string{"bytes,1,opt,name=id", "bytes,7,opt,name=id"}, "`result.1` is gone"},
		"two fields change places":        {[]string{"bytes,1,opt,name=id", "bytes,2,opt,name=id", "varint,2", "varint,1"}, "`result.1` was"},
		"a field is removed":              {[]string{"\tNote  *string `protobuf:\"bytes,3,opt,name=note,proto3,oneof\"`\n", ""}, "`result.3` is gone"},
		"one of several is removed":       {[]string{"func (*Receipt_Card) isPaid() {}", ""}, "`result.5` is gone"},
		"text becomes bytes":              {[]string{"Id    string", "Id []byte"}, "`result.1` was"},
		"presence is lost":                {[]string{"Note  *string", "Note string"}, "`result.3` may have been nil"},
		"a field of a list's is removed":  {[]string{"\tSku   string  `protobuf:\"bytes,1,opt,name=sku,proto3\"`\n", ""}, "`result.4[].1` is gone"},
		"a list becomes one":              {[]string{"Lines []*Line", "Lines *Line", "bytes,4,rep", "bytes,4,opt"}, "`result.4` was"},
		"the message has another Go name": {[]string{"Line", "Item"}, ""},
	} {
		is := messageEntry(t, strings.NewReplacer(c.edits...).Replace(receiptSource))
		got := sentence(lock.Unreadable(was.Result.Layout, is.Result.Layout))
		if c.says == "" && got != "" || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A codec is put around json, with the shapes that are read: that is accepted once, and what was read until then is read still.
func TestLock_ACodecIsPutAroundJSON(t *testing.T) {
	t.Parallel()
	repo, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	source := func(fields, codec string) string {
		return "pay.go: package pay\n\nimport (\n\t\"context\"\n\n\t\"github.com/idemgen/idemgen/idem\"\n\t\"github.com/idemgen/idemgen/idem/codec\"\n)\n\n" +
			"type Receipt struct{ " + fields + " }\n\nfunc Stored[T any]() codec.Encrypted[T, idem.JSON[T]] { return codec.Encrypt[T](nil, idem.JSON[T]{}) }\n\n" +
			"//idem:wrap\ntype Payments interface {\n\t//idem:key id\n" + codec + "\tCharge(ctx context.Context, id string) (Receipt, error)\n}\n"
	}
	own, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	_, requires, _ := strings.Cut(string(own), "\nrequire")
	root := tree(t, "go.mod: module m\n\ngo 1.26.0\n\nrequire github.com/idemgen/idemgen v0.0.0\n\nreplace github.com/idemgen/idemgen => "+repo+
		"\n\nrequire"+requires, "go.sum: "+string(sum), source("A int", ""))
	step := func(text string, o Options) (said []string, output string) {
		t.Helper()
		_, file, _ := strings.Cut(text, ": ")
		if err := os.WriteFile(filepath.Join(root, "pay.go"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		o.Dir, o.Patterns, o.Write = root, []string{"."}, true
		r, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range r.Diagnostics {
			said = append(said, d.Code+" "+d.Text)
		}
		for _, f := range r.Files {
			if filepath.Base(f.Path) == "idem_gen.go" {
				output = string(f.Content)
			}
		}
		return said, output
	}
	const stored = "\t//idem:codec Stored\n"
	first, text := step(source("A int", ""), Options{})
	reads := func(text string) int {
		_, after, _ := strings.Cut(text, "idem.Shapes{")
		list, _, _ := strings.Cut(after, "}")
		return strings.Count(list, `"`) / 2
	}
	if len(first) > 0 || reads(text) != 1 {
		t.Fatal(first, text)
	}
	if said, text := step(source("A, B int", ""), Options{}); len(said) > 0 || reads(text) != 2 {
		t.Fatal(said, text)
	}
	said, _ := step(source("A, B int", stored), Options{})
	if !slices.ContainsFunc(said, func(s string) bool {
		return strings.HasPrefix(s, "IDEM081 ") && strings.Contains(s, "docs/codecs.md")
	}) {
		t.Errorf("said %q", said)
	}
	if said, text := step(source("A, B int", stored), Options{Accept: true}); len(said) > 0 || reads(text) != 2 {
		t.Errorf("accepted: %q\n%s", said, text)
	}
	if said, _ := step(source("A int", stored), Options{}); len(said) != 1 || !strings.Contains(said[0], "`result.B` is gone") {
		t.Errorf("a field is removed under the codec: %q", said)
	}
}
