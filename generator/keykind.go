package generator

import (
	"go/token"
	"go/types"
)

// This file decides how a value becomes a key. The order is part of the annotation's meaning, because the text is stored.

// keyKindOf is how a value of type t becomes a key; keyNone: it can't.
func keyKindOf(t types.Type) keyKind {
	pointer := types.NewPointer(t)
	_, isPointer := types.Unalias(t).Underlying().(*types.Pointer)
	_, isParam := types.Unalias(t).(*types.TypeParam)
	addressed := !isPointer && !isParam && !types.IsInterface(t)
	switch {
	case types.Satisfies(t, ofString):
		return keyString
	case types.Satisfies(t, ofInt):
		return keyInt
	case types.Satisfies(t, ofUint):
		return keyUint
	case types.Implements(t, textMarshaler):
		return keyText
	case addressed && types.Implements(pointer, textMarshaler):
		return keyTextAddr
	case types.Implements(t, stringer):
		return keyStringer
	case addressed && types.Implements(pointer, stringer):
		return keyStringerAddr
	case types.Satisfies(t, ofUUID):
		return keyUUID
	default:
		return keyNone
	}
}

// Constraints and interfaces to compare with.
var (
	ofString = terms(types.Typ[types.String])
	ofInt    = terms(basics(types.Int, types.Int8, types.Int16, types.Int32, types.Int64)...)
	ofUint   = terms(basics(types.Uint, types.Uint8, types.Uint16, types.Uint32, types.Uint64, types.Uintptr)...)
	ofUUID   = terms(types.NewArray(types.Typ[types.Byte], 16))

	textMarshaler = oneMethod("MarshalText", types.NewSlice(types.Typ[types.Byte]), types.Universe.Lookup("error").Type())
	stringer      = oneMethod("String", types.Typ[types.String])
)

func basics(kinds ...types.BasicKind) (list []types.Type) {
	for _, k := range kinds {
		list = append(list, types.Typ[k])
	}
	return list
}

// terms is the constraint of all types whose underlying type is one of list.
func terms(list ...types.Type) *types.Interface {
	var union []*types.Term
	for _, t := range list {
		union = append(union, types.NewTerm(true, t))
	}
	return types.NewInterfaceType(nil, []types.Type{types.NewUnion(union)}).Complete()
}

func oneMethod(name string, results ...types.Type) *types.Interface {
	var vars []*types.Var
	for _, t := range results {
		vars = append(vars, types.NewParam(token.NoPos, nil, "", t))
	}
	sig := types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(vars...), false)
	return types.NewInterfaceType([]*types.Func{types.NewFunc(token.NoPos, nil, name, sig)}, nil).Complete()
}
