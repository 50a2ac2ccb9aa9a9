package generator

import (
	"go/build/constraint"
	"path/filepath"
	"slices"
	"strings"
)

// This file finds out under which build constraint an interface stands, and so into which file its wrapper goes: the output must be
// built exactly when its source is.

// outputName is the name of the file for the wrappers of f's interfaces, and the expression of its go:build line. A problem says why there
// can't be one.
func outputName(s *source, f *sourceFile) (name, expression, problem string) {
	base := strings.TrimSuffix(filepath.Base(f.path), ".go")
	expression = buildLine(f)
	switch {
	case expression != "" || impliedBy(base) != "":
		return constrainedName(base, expression)
	case s.external():
		return "idem_gen_x_test.go", "", ""
	case strings.HasSuffix(base, "_test"):
		return "idem_gen_test.go", "", ""
	default:
		return "idem_gen.go", "", ""
	}
}

// fixedNames are taken by outputs of other kinds.
var fixedNames = []string{"idem_gen_test", "idem_gen_x_test", "idem_gen_roundtrip_test"}

// constrainedName keeps the source's base name at its end, so that a suffix such as _linux goes on to count.
func constrainedName(base, expression string) (name, _, problem string) {
	name = "idem_gen_" + base
	switch {
	case slices.Contains(fixedNames, name), strings.HasPrefix(base, "roundtrip_") && strings.HasSuffix(base, "_test"):
		problem = "the output would be called " + name + ".go, which is the name of another output; rename " + base + ".go"
	case strings.HasSuffix(name, "_test") != strings.HasSuffix(base, "_test"):
		problem = "the output would be called " + name + ".go, which is a test file; rename " + base + ".go"
	case impliedBy(name) != impliedBy(base):
		problem = "the output would be called " + name + ".go, which is only built for " + impliedBy(name) + "; rename " + base + ".go"
	}
	return name + ".go", expression, problem
}

// buildLine is the expression of a file's go:build line, or else of its old +build lines; import "C" counts as cgo.
func buildLine(f *sourceFile) (expression string) {
	old := ""
	for _, group := range f.tree.Comments {
		for _, c := range group.List {
			isOld := constraint.IsPlusBuild(c.Text)
			if c.Pos() > f.tree.Package || !isOld && !constraint.IsGoBuild(c.Text) {
				continue
			}
			x, err := constraint.Parse(c.Text)
			switch {
			case err != nil: // the go command says so
			case !isOld:
				expression = x.String()
			case old == "":
				old = x.String()
			default:
				old = both(old, x.String())
			}
		}
	}
	if expression == "" {
		expression = old
	}
	if f.cgo {
		return both(expression, "cgo")
	}
	return expression
}

func both(a, b string) string {
	if a == "" {
		return b
	}
	x, err := constraint.Parse("//go:build (" + a + ") && (" + b + ")")
	if err != nil {
		return a
	}
	return x.String()
}

// The systems and architectures that a file name can end in.
var (
	systems  = strings.Fields("aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos")
	machines = strings.Fields("386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le ppc ppc64 " +
		"ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm")
)

// impliedBy is the system and architecture that a file name without .go stands for.
func impliedBy(base string) string {
	base, _, _ = strings.Cut(base, ".")
	base = strings.TrimSuffix(base, "_test")
	parts := strings.Split(base, "_")[1:] // what stands before the first _ never counts
	n := len(parts)
	switch {
	case n >= 2 && slices.Contains(systems, parts[n-2]) && slices.Contains(machines, parts[n-1]):
		return parts[n-2] + "/" + parts[n-1]
	case n >= 1 && (slices.Contains(systems, parts[n-1]) || slices.Contains(machines, parts[n-1])):
		return parts[n-1]
	default:
		return ""
	}
}
