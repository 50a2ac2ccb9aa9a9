package lab

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/idem/shape"
	"github.com/idemgen/idemgen/internal/gotypes"
	"github.com/idemgen/idemgen/lab/specimen"
)

var (
	seedFlag  = flag.Int("seed", 1, "seed of the random types; 0: another one each time")
	countFlag = flag.Int("types", 150, "how many random types there are; later ones are made of earlier ones")
)

// TestVerdictsMatchReality_RandomTypes does the same with types that nobody would write: some hundred in one program, which is made
// and run once.
func TestVerdictsMatchReality_RandomTypes(t *testing.T) {
	t.Parallel()
	seed := *seedFlag
	if seed == 0 {
		seed = int(time.Now().UnixNano()%1_000_000) + 1
	}
	t.Logf("go test . -run RandomTypes -seed=%d -types=%d", seed, *countFlag)
	source := rapid.Custom(func(t *rapid.T) string { return drawProgram(t, *countFlag) }).Example(seed)
	text, err := format.Source([]byte(source))
	if err != nil {
		t.Fatal(err, source)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(here, "generated", "main.go") // only in the overlay
	reports := runProgram(t, file, text, seed)
	p := load(t, packages.Config{Overlay: map[string][]byte{file: text}}, "./generated")
	tally := specimen.NewTally()
	for i, typ := range instances(p) {
		name := fmt.Sprintf("T%d", i)
		for _, fault := range tally.Compare(name, shape.Storable(gotypes.Of(typ, nil)), reports[i]) {
			t.Errorf("%s\n%s", fault, declaration(string(text), name))
		}
	}
	t.Log(tally)
}

// runProgram runs the program, which reports on its types.
func runProgram(t *testing.T, file string, text []byte, seed int) (reports []specimen.Report) {
	t.Helper()
	dir := t.TempDir()
	real, overlay := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: real}})
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{real: text, overlay: replace} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "generated")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-o", program, "./generated").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // values of types that are deep in others can be large
	defer cancel()
	cmd := exec.CommandContext(ctx, program, fmt.Sprint(seed))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(out, &reports); err != nil {
		t.Fatal(err)
	}
	return reports
}

// declaration is the part of source that declares name.
func declaration(source, name string) string {
	_, after, _ := strings.Cut(source, "type "+name+" ")
	text, _, _ := strings.Cut(after, "\ntype ")
	return "type " + name + " " + strings.TrimSpace(text)
}

const programHead = `package main

import (
	"encoding/json"
	"math/big"
	"net"
	"net/netip"
	"os"
	"strconv"
	"time"

	c "github.com/idemgen/idemgen/lab/catalogue"
	"github.com/idemgen/idemgen/lab/specimen"
)

var (
	_ json.Number
	_ big.Int
	_ net.IP
	_ netip.Addr
	_ time.Time
	_ c.Cents
)

type G1[T any] struct { V T; P *T }
type G2[K comparable, V any] struct { M map[K]V }
type G3[T any] []T

func main() {
	seed, _ := strconv.ParseUint(os.Args[1], 10, 64)
	var reports []specimen.Report
	for _, s := range all {
		reports = append(reports, s.Report(seed))
	}
	if err := json.NewEncoder(os.Stdout).Encode(reports); err != nil {
		panic(err)
	}
}

`

// drawProgram draws the source of a program with so many types, T0, T1 and so on, that lean on each other.
func drawProgram(t *rapid.T, count int) string {
	d := &drawer{T: t}
	var all strings.Builder
	all.WriteString(programHead)
	for i := range count {
		d.self, d.depth = fmt.Sprintf("T%d", i), 0
		var text string
		if d.chance(70) {
			text = d.structure()
			d.structs = append(d.structs, d.self)
		} else {
			text = d.named()
		}
		d.declared = append(d.declared, d.self)
		fmt.Fprintf(&all, "type %s %s\n", d.self, text)
	}
	all.WriteString("\nvar all = []specimen.Specimen{\n")
	for _, name := range d.declared {
		fmt.Fprintf(&all, "\tspecimen.Of[%s](),\n", name)
	}
	all.WriteString("}\n")
	return all.String()
}

type drawer struct {
	*rapid.T
	self              string // the type that is being declared
	declared, structs []string
	depth             int
}

func (d *drawer) chance(percent int) bool { return rapid.IntRange(0, 99).Draw(d.T, "chance") < percent }

func (d *drawer) of(list ...string) string { return rapid.SampledFrom(list).Draw(d.T, "of") }

// named draws what a named type that is no struct is.
func (d *drawer) named() string {
	switch d.of("slice", "map", "array", "pair", "basic") {
	case "slice":
		return "[]" + d.typ()
	case "map":
		return "map[" + d.key() + "]" + d.typ()
	case "array":
		return "[2]" + d.typ()
	case "pair":
		return "G1[" + d.typ() + "]"
	default:
		return d.of("int", "string", "float64", "[]byte", "bool", "uint8")
	}
}

// typ draws a type.
func (d *drawer) typ() string {
	d.depth++
	defer func() { d.depth-- }()
	if d.depth > 4 || d.chance(45) {
		return d.leaf()
	}
	switch d.of("*", "[]", "[2]", "map", "struct", "old", "old", "self", "generic", "[0]") {
	case "*":
		return "*" + d.typ()
	case "[]":
		return "[]" + d.typ()
	case "[2]":
		return "[2]" + d.typ()
	case "[0]":
		return "[0]" + d.typ()
	case "map":
		return "map[" + d.key() + "]" + d.typ()
	case "struct":
		return d.structure()
	case "self":
		return d.of("*", "[]", "map[string]", "map[string]*") + d.self
	case "generic":
		if d.chance(30) {
			return "G2[" + d.key() + ", " + d.typ() + "]"
		}
		return d.of("G1", "G3", "c.Page", "c.Optional", "c.Marshaled") + "[" + d.typ() + "]"
	default:
		if len(d.declared) == 0 {
			return d.leaf()
		}
		return d.of(d.declared...)
	}
}

func (d *drawer) leaf() string {
	if d.chance(80) {
		return d.of("bool", "int", "int8", "int64", "uint", "uint64", "byte", "float32", "float64", "string", "[]byte", "[4]byte", "time.Time", "time.Duration",
			"struct{}", "c.Cents", "c.Currency", "c.Amount", "c.Names", "c.Octets", "netip.Addr", "big.Int", "c.TextPair", "c.JSONPair", "c.IntTextPair", "c.StringTextPair")
	}
	return d.of("any", "error", "func()", "chan int", "complex128", "json.RawMessage", "json.Number", "net.IP", "c.Priced", "big.Float",
		"c.TextPairPtr", "c.JSONPairPtr", "c.TextOnly", "c.JSONOnly", "c.JSONOnlyPtr", "c.UntextOnly", "c.UnjsonOnly", "c.TextValueRead", "c.JSONValueRead",
		"c.JSONText", "c.TextJSON", "c.IntJSONPair", "c.IntTextOnly", "c.StringUpper", "c.MapJSONPair", "c.SliceTextPair", "c.WrongSignature",
		"c.ByteText", "c.Bytes", "c.MapValueRead", "c.Hidden", "c.HalfHidden", "c.Promoting", "c.PromotingMore", "c.PromotingOverride", "c.Lenient", "c.OmitAll")
}

func (d *drawer) key() string {
	if d.chance(70) {
		return d.of("string", "int", "uint8", "c.Cents", "c.Currency", "c.TextPair", "c.IntTextPair")
	}
	return d.of("bool", "float64", "[2]int", "c.Amount", "*int", "any", "time.Time", "netip.Addr", "c.StringTextPair", "c.StringUpper", "c.TextPairPtr", "c.IntJSONPair", "c.TextOnly")
}

// structure draws a struct.
func (d *drawer) structure() string {
	d.depth++
	defer func() { d.depth-- }()
	var b strings.Builder
	b.WriteString("struct {\n")
	var taken []string
	for range rapid.IntRange(0, 4).Draw(d.T, "fields") {
		name, text := d.field()
		if slices.Contains(taken, name) {
			continue
		}
		taken = append(taken, name)
		b.WriteString("\t" + text + d.tag() + "\n")
	}
	b.WriteString("}")
	return b.String()
}

// field draws a field, embedded or not.
func (d *drawer) field() (name, text string) {
	if d.chance(20) {
		embedded := d.of("c.Base", "c.LeftSide", "c.TextPair", "c.JSONPair", "time.Time", "c.Names", "c.CodeText", "c.OmitBase", "c.Priced", "c.Hidden", "c.Cents")
		if len(d.structs) > 0 && d.chance(60) {
			embedded = d.of(d.structs...)
		}
		name = embedded[strings.LastIndexByte(embedded, '.')+1:]
		if embedded != "c.Priced" && d.chance(30) {
			embedded = "*" + embedded
		}
		return name, embedded
	}
	name = d.of("A", "B", "C", "ID", "Id", "Text", "More")
	if d.chance(6) {
		name = d.of("a", "b", "id")
	}
	return name, name + " " + d.typ()
}

// tag draws a field's tag, mostly none.
func (d *drawer) tag() string {
	if d.chance(70) {
		return ""
	}
	return " `json:\"" + d.of("-", "-,", "a", "A", "b", "id", "ID", ",omitempty", ",omitempty", ",omitzero", ",omitzero", ",string", "a,omitempty", "x,string", "x,omitzero", "é", "a b") + "\"`"
}
