package vet

import (
	"fmt"
	"go/types"
	"regexp"
	"strconv"
	"strings"
)

// This file writes types as texts, so that a package can say to those that import it which methods a wrapper has, and they can tell
// whether a type of theirs has them too. The interface itself may be out of their reach: no file of theirs imports it.

// path is a package's path as its importers know it, also where it is a build of the package for its tests.
func path(p *types.Package) string {
	if p == nil {
		return ""
	}
	text, _, _ := strings.Cut(p.Path(), " [")
	return text
}

// qualified is the full name of a declared type.
func qualified(o types.Object) string { return path(o.Pkg()) + "." + o.Name() }

// signatureText is the text of a method's parameters and results, without their names. Type parameters among params are written as $0,
// $1 and so on.
func signatureText(sig *types.Signature, params *types.TypeParamList) string {
	w := typeWriter{params: params}
	w.signature(sig)
	return w.b.String()
}

type typeWriter struct {
	b      strings.Builder
	params *types.TypeParamList
}

func (w *typeWriter) signature(sig *types.Signature) {
	w.tuple(sig.Params(), sig.Variadic())
	w.tuple(sig.Results(), false)
}

func (w *typeWriter) tuple(t *types.Tuple, variadic bool) {
	w.b.WriteByte('(')
	for i := range t.Len() {
		if variadic && i == t.Len()-1 {
			w.b.WriteString("...")
		}
		w.typ(t.At(i).Type())
		w.b.WriteByte(';')
	}
	w.b.WriteByte(')')
}

func (w *typeWriter) typ(t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		w.named(t)
	case *types.TypeParam:
		w.typeParam(t)
	case *types.Basic:
		w.b.WriteString(types.Typ[t.Kind()].Name()) // byte is uint8
	case *types.Pointer:
		w.of("*", t.Elem())
	case *types.Slice:
		w.of("[]", t.Elem())
	case *types.Array:
		w.of("["+strconv.FormatInt(t.Len(), 10)+"]", t.Elem())
	case *types.Map:
		w.of("map[", t.Key())
		w.of("]", t.Elem())
	case *types.Chan:
		w.of("chan"+strconv.Itoa(int(t.Dir()))+" ", t.Elem())
	case *types.Signature:
		w.b.WriteString("func")
		w.signature(t)
	case *types.Struct:
		w.structure(t)
	case *types.Interface:
		w.iface(t)
	default:
		fmt.Fprintf(&w.b, "%s", t)
	}
}

func (w *typeWriter) of(prefix string, t types.Type) {
	w.b.WriteString(prefix)
	w.typ(t)
}

func (w *typeWriter) named(t *types.Named) {
	w.b.WriteString(qualified(t.Obj()))
	for i := range t.TypeArgs().Len() {
		w.of("[", t.TypeArgs().At(i))
		w.b.WriteByte(']')
	}
}

func (w *typeWriter) typeParam(t *types.TypeParam) {
	for i := range w.params.Len() {
		if w.params.At(i) == t {
			fmt.Fprintf(&w.b, "$%d$", i)
			return
		}
	}
	w.b.WriteString(t.Obj().Name())
}

func (w *typeWriter) structure(t *types.Struct) {
	w.b.WriteString("struct{")
	for i := range t.NumFields() {
		f := t.Field(i)
		if !f.Exported() {
			w.b.WriteString(path(f.Pkg()) + ".")
		}
		w.of(f.Name()+" ", f.Type())
		fmt.Fprintf(&w.b, "%q;", t.Tag(i))
	}
	w.b.WriteByte('}')
}

func (w *typeWriter) iface(t *types.Interface) {
	w.b.WriteString("interface{")
	for i := range t.NumMethods() { // sorted by id, embedded ones among them
		m := t.Method(i)
		w.b.WriteString(methodID(m))
		w.signature(m.Signature())
		w.b.WriteByte(';')
	}
	w.b.WriteByte('}')
}

// methodID is a method's name, which for an unexported one includes its package.
func methodID(m *types.Func) string {
	if m.Exported() {
		return m.Name()
	}
	return path(m.Pkg()) + "." + m.Name()
}

// typeArgs is what the type parameters of a generic wrapper would have to be for all the texts seen so far to agree.
type typeArgs map[string]string

var placeholder = regexp.MustCompile(`\$\d+\$`)

// matches reports whether text is pattern with its placeholders replaced, each by the same text as before.
func (a typeArgs) matches(pattern, text string) bool {
	names := placeholder.FindAllString(pattern, -1)
	if len(names) == 0 {
		return pattern == text
	}
	parts := placeholder.Split(pattern, -1)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	found := regexp.MustCompile("^" + strings.Join(parts, "(.+?)") + "$").FindStringSubmatch(text)
	if found == nil {
		return false
	}
	for i, name := range names {
		if seen, ok := a[name]; ok && seen != found[i+1] {
			return false
		}
		a[name] = found[i+1]
	}
	return true
}
