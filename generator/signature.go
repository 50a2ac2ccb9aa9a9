package generator

import (
	"go/token"
	"go/types"
)

// This file answers questions about signatures: which parameter is the context, which are transactions, and what the type parameters
// of a generic interface stand for in one instance of it.

// contextOf finds the parameters that can be used as a context.Context; the index is of the first, -1 without one.
func contextOf(sig *types.Signature, from *types.Package) (index, count int) {
	index = -1
	timePkg := findPackage(from, "time", map[*types.Package]bool{})
	if timePkg == nil {
		return index, 0 // no type in reach has the method Deadline
	}
	context := contextInterface(timePkg)
	for i := range sig.Params().Len() {
		if sig.Variadic() && i == sig.Params().Len()-1 {
			continue
		}
		t := sig.Params().At(i).Type()
		if t.Underlying() != types.Typ[types.Invalid] && types.AssignableTo(t, context) { // what does not compile can be everything
			if count++; count == 1 {
				index = i
			}
		}
	}
	return index, count
}

// findPackage looks for a package among those that from depends on.
func findPackage(from *types.Package, path string, seen map[*types.Package]bool) *types.Package {
	if from.Path() == path {
		return from
	}
	seen[from] = true
	for _, p := range from.Imports() {
		if !seen[p] {
			if found := findPackage(p, path, seen); found != nil {
				return found
			}
		}
	}
	return nil
}

// contextInterface is context.Context as it would be written out: the interface's package may not be among those that were loaded.
func contextInterface(timePkg *types.Package) *types.Interface {
	object := timePkg.Scope().Lookup("Time")
	if object == nil {
		return types.NewInterfaceType(nil, nil)
	}
	anyType := types.Universe.Lookup("any").Type()
	done := types.NewChan(types.RecvOnly, types.NewStruct(nil, nil))
	method := func(name string, params, results []types.Type) *types.Func {
		sig := types.NewSignatureType(nil, nil, nil, tupleOf(params), tupleOf(results), false)
		return types.NewFunc(token.NoPos, nil, name, sig)
	}
	return types.NewInterfaceType([]*types.Func{
		method("Deadline", nil, []types.Type{object.Type(), types.Typ[types.Bool]}),
		method("Done", nil, []types.Type{done}),
		method("Err", nil, []types.Type{types.Universe.Lookup("error").Type()}),
		method("Value", []types.Type{anyType}, []types.Type{anyType}),
	}, nil).Complete()
}

func tupleOf(list []types.Type) *types.Tuple {
	var vars []*types.Var
	for _, t := range list {
		vars = append(vars, types.NewParam(token.NoPos, nil, "", t))
	}
	return types.NewTuple(vars...)
}

// transaction tells whether t is a database transaction: it is no part of what is asked for.
func transaction(t types.Type) bool {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		return namedAs(p.Elem(), "database/sql", "Tx")
	}
	return namedAs(t, "github.com/jackc/pgx/v5", "Tx")
}

func namedAs(t types.Type, path, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path
}

// endsInError tells whether the last result is the predeclared error.
func endsInError(sig *types.Signature) bool {
	n := sig.Results().Len()
	return n > 0 && types.Identical(sig.Results().At(n-1).Type(), types.Universe.Lookup("error").Type())
}

// matchTypeParams finds, by name, what the type parameters in the generic signature stand for in an instance of it.
func matchTypeParams(generic, instance *types.Signature) map[string]types.Type {
	m := typeMatch{}
	m.match(generic, instance)
	return m
}

type typeMatch map[string]types.Type

func (m typeMatch) match(a, b types.Type) {
	if p, ok := a.(*types.TypeParam); ok {
		m[p.Obj().Name()] = b
		return
	}
	if a, ok := a.(*types.Alias); ok {
		m.match(types.Unalias(a), b)
		return
	}
	b = types.Unalias(b)
	switch a := a.(type) {
	case *types.Named:
		if b, ok := b.(*types.Named); ok && a.TypeArgs().Len() == b.TypeArgs().Len() {
			for i := range a.TypeArgs().Len() {
				m.match(a.TypeArgs().At(i), b.TypeArgs().At(i))
			}
		}
	case *types.Map:
		if b, ok := b.(*types.Map); ok {
			m.match(a.Key(), b.Key())
			m.match(a.Elem(), b.Elem())
		}
	case interface{ Elem() types.Type }:
		if b, ok := b.(interface{ Elem() types.Type }); ok {
			m.match(a.Elem(), b.Elem())
		}
	case *types.Signature:
		if b, ok := b.(*types.Signature); ok {
			m.match(a.Params(), b.Params())
			m.match(a.Results(), b.Results())
		}
	case *types.Tuple:
		if b, ok := b.(*types.Tuple); ok && a.Len() == b.Len() {
			for i := range a.Len() {
				m.match(a.At(i).Type(), b.At(i).Type())
			}
		}
	case *types.Struct:
		if b, ok := b.(*types.Struct); ok && a.NumFields() == b.NumFields() {
			for i := range a.NumFields() {
				m.match(a.Field(i).Type(), b.Field(i).Type())
			}
		}
	}
}
