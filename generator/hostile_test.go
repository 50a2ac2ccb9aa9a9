package generator

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// This file adds packages to the corpus whose names are all in the way: interfaces, methods, parameters, results, type parameters, imports and
// declarations are drawn from what the output itself has to say. No golden file holds their outputs; they must compile, please go vet, and work.

var seed = flag.Uint64("seed", 1, "seed of the packages with hostile names")

const hostilePackages = 12

var (
	// hostileNames are for everything but packages.
	hostileNames = strings.Fields(`w next eng ctx key idem context error string nil res err f true append len T Store store storeDo time claim c
		value scope any bool int result callKey arg2 IdempotentStore newIdempotentStore storeDoResults fingerprint runErr http panic iota new
		ctxArg wArg strings K V Key`)
	hostileMethods    = strings.Fields("Do do Put next eng Next w Key Put2 claim String wrapped Err idem")
	hostileInterfaces = strings.Fields("Store store w next idem Idem Key key context res F")
	// hostileImports are packages that all declare a type T and a function F.
	hostileImports = strings.Fields("w idem context error string nil err key res time http f eng next v2 url any")
)

// hostile draws packages.
type hostile struct {
	*rand.Rand
	types      []string // what parameters and results can be, in this package
	typeParams []string // of this interface
}

// addHostile writes them below root, and returns their directories.
func addHostile(root string) (dirs []string, err error) {
	h := &hostile{Rand: rand.New(rand.NewPCG(*seed, 0))}
	write := func(dir, text string) {
		path := filepath.Join(root, "hostile", dir, "p.go")
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o700)
		}
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
	}
	for _, name := range hostileImports {
		for _, side := range []string{"left", "right"} {
			write(side+"/"+name, "package "+name+"\n\ntype T struct{ N int }\n\nfunc F(s string) string { return s }\n")
		}
	}
	for i := range hostilePackages {
		dir := fmt.Sprintf("p%02d", i)
		write(dir, h.source(dir))
		dirs = append(dirs, "./hostile/"+dir)
	}
	return dirs, err
}

// some are n different ones of list.
func (h *hostile) some(list []string, n int) []string {
	list = slices.Clone(list)
	h.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:n]
}

func (h *hostile) source(pkg string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n\tctxpkg \"context\"\n\ttimepkg \"time\"\n\n", pkg)
	h.types = []string{"int", "[]byte", "timepkg.Time", "*int", "map[timepkg.Month]int", "keyed"}
	for i, name := range h.some(hostileImports, 4) {
		fmt.Fprintf(&b, "\tzz%d \"example.com/cases/hostile/%s/%s\"\n", i, h.some([]string{"left", "right"}, 1)[0], name)
		h.types = append(h.types, fmt.Sprintf("zz%d.T", i), fmt.Sprintf("*zz%d.T", i))
	}
	b.WriteString(")\n\nvar _, _, _, _ = zz0.F, zz1.F, zz2.F, zz3.F\n\nvar _ timepkg.Time\n\n")
	b.WriteString("type hostctx interface {\n\tctxpkg.Context\n\tUser()\n}\n\ntype user struct{ ctxpkg.Context }\n\nfunc (user) User() {}\n\n")
	b.WriteString("var samples = []any{user{ctxpkg.Background()}}\n\n")
	b.WriteString("type keyed struct{ ID *text }\n\ntype text string\n\nfunc (t *text) String() string { return string(*t) }\n\n")
	interfaces := h.some(hostileInterfaces, 2)
	predeclared := strings.Fields("error string nil true append len any bool int panic iota new IdempotentStore newIdempotentStore")
	for _, name := range h.some(hostileNames, 12) {
		switch {
		case slices.Contains(predeclared, name) || slices.Contains(interfaces, name):
		case h.IntN(2) == 0:
			fmt.Fprintf(&b, "type %s struct{ A int }\n\n", name)
			h.types = append(h.types, name)
		default:
			fmt.Fprintf(&b, "var %s = 1\n\nvar _ = %s\n\n", name, name)
		}
	}
	for _, name := range interfaces {
		h.wrapped(&b, name)
	}
	return b.String()
}

func (h *hostile) wrapped(b *strings.Builder, name string) {
	h.typeParams = nil
	if h.IntN(2) == 0 {
		h.typeParams = h.some(strings.Fields("T K w idem key res Store time V next c f"), 1+h.IntN(2))
	}
	fmt.Fprintf(b, "//idem:wrap\ntype %s", name)
	if len(h.typeParams) > 0 {
		fmt.Fprintf(b, "[%s any]", strings.Join(h.typeParams, ", "))
	}
	b.WriteString(" interface {\n")
	for _, m := range h.some(hostileMethods, 1+h.IntN(4)) {
		h.method(b, m)
	}
	b.WriteString("}\n\n")
}

// method has a context and a key among its parameters.
func (h *hostile) method(b *strings.Builder, name string) {
	n := 2 + h.IntN(4)
	names := h.some(hostileNames, n+4)
	at := h.Perm(n)
	ctx, key := at[0], at[1]
	annotation := "key " + names[key]
	var params []string
	for i := range n {
		typ := h.typ()
		switch {
		case i == ctx:
			typ = h.some([]string{"ctxpkg.Context", "ctxpkg.Context", "hostctx"}, 1)[0]
		case i == key:
			typ = h.some([]string{"text", "*keyed", "timepkg.Duration"}, 1)[0]
			if typ == "*keyed" {
				annotation = "key *" + names[key] + ".ID"
			}
		case i == n-1 && h.IntN(3) == 0:
			typ = "..." + typ
		}
		params = append(params, names[i]+" "+typ)
	}
	var results []string
	named := h.IntN(2) == 0
	for i := range h.IntN(4) {
		results = append(results, h.typ())
		if named {
			results[i] = names[n+i] + " " + results[i]
		}
	}
	last := "error"
	if named {
		last = names[n+3] + " error"
	}
	results = append(results, last)
	if h.IntN(5) == 0 {
		annotation = "skip"
	}
	fmt.Fprintf(b, "\t//idem:%s\n\t%s(%s) (%s)\n", annotation, name, strings.Join(params, ", "), strings.Join(results, ", "))
}

// typ is a type that no type parameter hides.
func (h *hostile) typ() string {
	for {
		typ := h.some(append(slices.Clone(h.types), h.typeParams...), 1)[0]
		hidden := slices.Contains(h.typeParams, typ) && slices.Contains(h.types, typ)
		if !hidden {
			return typ
		}
	}
}
