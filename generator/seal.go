package generator

import (
	"go/types"
	"slices"
	"strings"
)

// This file is about interfaces that only their own package can implement, because a method of theirs is not exported. Generated gRPC servers
// are such: mustEmbedUnimplementedPaymentsServer is there to make people embed a struct. A wrapper embeds an interface with just these methods
// instead, as protoc-gen-go-grpc's UnsafePaymentsServer. The struct would answer for what is added to the service later; with the
// interface the wrapper does not compile until it is generated again. Any other seal is there to keep implementations out, and is respected.

// seal finds the interfaces that w has to embed, and takes their methods out of it.
func (r *reader) seal(s *source, w *wrapper) {
	home := s.PkgPath
	if r.out != nil {
		home = r.out.path
	}
	sealed := map[*types.Package][]string{}
	for _, m := range w.Methods {
		if m.Pkg != nil && m.Pkg.Path() != home {
			sealed[m.Pkg] = append(sealed[m.Pkg], m.Name)
		}
	}
	for pkg, names := range sealed {
		if slices.ContainsFunc(names, func(name string) bool { return !meantToEmbed(name) }) {
			continue
		}
		if t := sealOf(pkg, names); t != nil && importable(pkg.Path(), home) {
			w.Seals = append(w.Seals, t)
			w.Methods = slices.DeleteFunc(w.Methods, func(m *method) bool { return m.Pkg == pkg })
		}
	}
	slices.SortFunc(w.Seals, func(a, b *types.TypeName) int { return comparePackages("", a, b) })
}

// meantToEmbed tells whether a method of that name is there to be embedded.
func meantToEmbed(name string) bool { return strings.HasPrefix(name, "mustEmbed") }

// sealOf is the exported interface of pkg that has the methods of these names and no others.
func sealOf(pkg *types.Package, methods []string) *types.TypeName {
	for _, name := range pkg.Scope().Names() {
		t, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !t.Exported() || len(typeParams(t.Type())) > 0 {
			continue
		}
		iface, ok := t.Type().Underlying().(*types.Interface)
		if !ok || !iface.IsMethodSet() || iface.NumMethods() != len(methods) {
			continue
		}
		has := func(name string) bool {
			o, _, _ := types.LookupFieldOrMethod(iface, false, pkg, name)
			return o != nil
		}
		if !slices.ContainsFunc(methods, func(name string) bool { return !has(name) }) {
			return t
		}
	}
	return nil
}
