// Package gotypes is types as the type checker sees them, for the rules of package shape.
package gotypes

import (
	"go/types"
	"reflect"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/idem/shape"
)

// Of is t as a shape.Type. Labels leave out the name of package local, which may be nil.
func Of(t types.Type, local *types.Package) shape.Type { return checked{types.Unalias(t), local} }

// Type is what Of was given.
func Type(t shape.Type) types.Type { return t.(checked).t }

type checked struct {
	t     types.Type
	local *types.Package
}

func (c checked) of(t types.Type) shape.Type { return Of(t, c.local) }

func (c checked) ID() any {
	switch t := c.t.(type) {
	case *types.Named:
		if t.TypeArgs() == nil {
			return t.Obj()
		}
	case *types.Basic:
		return t.Name()
	}
	return types.TypeString(c.t, nil)
}

var kinds = map[types.BasicKind]reflect.Kind{
	types.Bool: reflect.Bool, types.String: reflect.String, types.UnsafePointer: reflect.UnsafePointer,
	types.Int: reflect.Int, types.Int8: reflect.Int8, types.Int16: reflect.Int16, types.Int32: reflect.Int32, types.Int64: reflect.Int64,
	types.Uint: reflect.Uint, types.Uint8: reflect.Uint8, types.Uint16: reflect.Uint16,
	types.Uint32: reflect.Uint32, types.Uint64: reflect.Uint64,
	types.Uintptr: reflect.Uintptr, types.Float32: reflect.Float32, types.Float64: reflect.Float64,
	types.Complex64: reflect.Complex64, types.Complex128: reflect.Complex128,
}

func (c checked) Kind() reflect.Kind {
	if _, ok := c.t.(*types.TypeParam); ok {
		return reflect.Invalid
	}
	switch u := c.t.Underlying().(type) {
	case *types.Basic:
		return kinds[u.Kind()]
	case *types.Array:
		return reflect.Array
	case *types.Chan:
		return reflect.Chan
	case *types.Interface:
		return reflect.Interface
	case *types.Map:
		return reflect.Map
	case *types.Pointer:
		return reflect.Pointer
	case *types.Signature:
		return reflect.Func
	case *types.Slice:
		return reflect.Slice
	case *types.Struct:
		return reflect.Struct
	default:
		return reflect.Invalid
	}
}

func (c checked) Name() string {
	switch c.t.(type) {
	case *types.Basic, *types.Named:
		return fullName(c.t)
	default:
		return ""
	}
}

// fullName is the text that shape.TypeName gives for the same type.
func fullName(t types.Type) string { return name(t, false) }

// TypeName is the name of a type with import paths, as idem.TypeName has it, and with _ for each type parameter that it depends on.
func TypeName(t types.Type) string { return name(t, true) }

// name is a type's, where blank with _ for its type parameters.
func name(t types.Type, blank bool) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return "unsafe.Pointer"
		}
		return types.Typ[t.Kind()].Name() // uint8 for byte
	case *types.Named:
		text := t.Obj().Name()
		if args := t.TypeArgs(); args != nil {
			texts := make([]string, args.Len())
			for i := range texts {
				texts[i] = name(args.At(i), blank)
			}
			text += "[" + strings.Join(texts, ",") + "]"
		}
		if pkg := t.Obj().Pkg(); pkg != nil {
			return importPath(pkg) + "." + text
		}
		return text
	case *types.Pointer:
		return "*" + name(t.Elem(), blank)
	case *types.Slice:
		return "[]" + name(t.Elem(), blank)
	case *types.Array:
		return "[" + strconv.FormatInt(t.Len(), 10) + "]" + name(t.Elem(), blank)
	case *types.Map:
		return "map[" + name(t.Key(), blank) + "]" + name(t.Elem(), blank)
	case *types.TypeParam:
		if blank {
			return "_"
		}
	case *types.Interface:
		if t.Empty() {
			return "interface {}"
		}
	}
	return types.TypeString(t, importPath)
}

// importPath is the path that reflection reports: a program's package is main, wherever it lies.
func importPath(pkg *types.Package) string {
	if pkg.Name() == "main" {
		return "main"
	}
	return pkg.Path()
}

func (c checked) Label() string {
	return types.TypeString(c.t, func(p *types.Package) string {
		if p == c.local {
			return ""
		}
		return p.Name()
	})
}

func (c checked) Elem() shape.Type {
	return c.of(c.t.Underlying().(interface{ Elem() types.Type }).Elem())
}

func (c checked) Key() shape.Type { return c.of(c.t.Underlying().(*types.Map).Key()) }

func (c checked) Methods() bool { return c.t.Underlying().(*types.Interface).NumMethods() > 0 }

func (c checked) Len() int { return int(c.t.Underlying().(*types.Array).Len()) }

func (c checked) Fields() []shape.Field {
	s := c.t.Underlying().(*types.Struct)
	fields := make([]shape.Field, 0, s.NumFields())
	for i := range s.NumFields() {
		f := s.Field(i)
		if f.Name() != "_" {
			fields = append(fields, shape.Field{
				Name: f.Name(), Type: c.of(f.Type()), Tag: reflect.StructTag(s.Tag(i)), Exported: f.Exported(), Embedded: f.Embedded(), Pos: int(f.Pos()),
			})
		}
	}
	return fields
}

func (c checked) Method(name shape.MethodName) (shape.Method, bool) {
	if c.Kind() == reflect.Invalid {
		return shape.Method{}, false
	}
	found, path, _ := types.LookupFieldOrMethod(c.t, true, nil, string(name))
	f, ok := found.(*types.Func)
	if !ok || !types.Identical(f.Signature(), signatures[name]) {
		return shape.Method{}, false
	}
	onValue, _, _ := types.LookupFieldOrMethod(c.t, false, nil, string(name))
	return shape.Method{Pointer: onValue == nil, Promoted: len(path) > 1}, true
}

var signatures = func() map[shape.MethodName]*types.Signature {
	tuple := func(ts ...types.Type) *types.Tuple {
		vars := make([]*types.Var, len(ts))
		for i, t := range ts {
			vars[i] = types.NewParam(0, nil, "", t)
		}
		return types.NewTuple(vars...)
	}
	signature := func(in, out *types.Tuple) *types.Signature {
		return types.NewSignatureType(nil, nil, nil, in, out, false)
	}
	var (
		bytes  = types.NewSlice(types.Typ[types.Byte])
		failed = types.Universe.Lookup("error").Type()
		writes = signature(nil, tuple(bytes, failed))
		reads  = signature(tuple(bytes), tuple(failed))
	)
	return map[shape.MethodName]*types.Signature{
		shape.MarshalJSON:   writes,
		shape.UnmarshalJSON: reads,
		shape.MarshalText:   writes,
		shape.UnmarshalText: reads,
		shape.MarshalBinary: writes,
		shape.Read:          signature(tuple(bytes), tuple(types.Typ[types.Int], failed)),
		shape.IsZero:        signature(nil, tuple(types.Typ[types.Bool])),
		shape.ProtoMessage:  signature(nil, nil),
	}
}()
