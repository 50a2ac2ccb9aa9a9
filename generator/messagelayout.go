package generator

import (
	"cmp"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file is what idem.lock holds of protobuf messages: their fields by number and kind, as the struct tags of the generated types have
// them. That is what the bytes hold; names of fields and of Go types change nothing.

// messageLayout is the layout of a message; nil: nothing is known of it.
func messageLayout(t types.Type) *shape.Layout {
	return (&messageWalk{known: map[*types.TypeName]*shape.Layout{}}).message(t)
}

type messageWalk struct {
	known map[*types.TypeName]*shape.Layout
}

// message is the layout of a pointer to a generated struct.
func (w *messageWalk) message(t types.Type) *shape.Layout {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return nil
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok {
		return nil
	}
	s, ok := n.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	l := w.known[n.Obj()]
	if l == nil {
		l = &shape.Layout{Form: shape.FormStruct}
		w.known[n.Obj()] = l // before its fields, which may lead back to it
		l.Fields = w.fields(n, s)
		slices.SortFunc(l.Fields, func(a, b shape.LayoutField) int { return cmp.Compare(number(a.Name), number(b.Name)) })
	}
	return &shape.Layout{Form: shape.FormPointer, Elem: l}
}

func number(name string) int {
	n, _ := strconv.Atoi(name)
	return n
}

func (w *messageWalk) fields(n *types.Named, s *types.Struct) (fields []shape.LayoutField) {
	for i := range s.NumFields() {
		tag := reflect.StructTag(s.Tag(i))
		if tag.Get("protobuf_oneof") != "" {
			fields = append(fields, w.oneof(n, s.Field(i).Type())...)
		} else if f, ok := w.field(s.Field(i).Type(), tag); ok {
			fields = append(fields, f)
		}
	}
	return fields
}

// oneof are the fields of a oneof: the structs of the message's package that can stand in its interface, each with one field.
func (w *messageWalk) oneof(n *types.Named, t types.Type) (fields []shape.LayoutField) {
	iface, ok := t.Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 || n.Obj().Pkg() == nil {
		return nil
	}
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		o, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !o.Exported() || o.IsAlias() {
			continue
		}
		s, ok := o.Type().Underlying().(*types.Struct)
		if !ok || s.NumFields() != 1 || !types.Implements(types.NewPointer(o.Type()), iface) {
			continue
		}
		if f, ok := w.field(s.Field(0).Type(), reflect.StructTag(s.Tag(0))); ok {
			if f.Omitted = false; f.Type.Form != shape.FormPointer { // which of them is set is stored
				f.Type = &shape.Layout{Form: shape.FormPointer, Elem: f.Type}
			}
			fields = append(fields, f)
		}
	}
	return fields
}

// field is one field by its tag, as in `protobuf:"bytes,1,opt,name=id,proto3"`.
func (w *messageWalk) field(t types.Type, tag reflect.StructTag) (f shape.LayoutField, ok bool) {
	parts := strings.Split(tag.Get("protobuf"), ",")
	if len(parts) < 3 || number(parts[1]) == 0 {
		return f, false
	}
	f.Name = parts[1]
	t = types.Unalias(t)
	if m, isMap := t.Underlying().(*types.Map); isMap {
		key, _ := w.field(m.Key(), reflect.StructTag(`protobuf:`+strconv.Quote(tag.Get("protobuf_key"))))
		value, _ := w.field(m.Elem(), reflect.StructTag(`protobuf:`+strconv.Quote(tag.Get("protobuf_val"))))
		f.Type = &shape.Layout{Form: shape.FormMap, Key: key.Type, Elem: value.Type}
		return f, key.Type != nil && value.Type != nil
	}
	list := parts[2] == "rep"
	if p, isPointer := t.(*types.Pointer); list && isPointer { // as opaque messages hold lists of messages
		t = types.Unalias(p.Elem())
	}
	if s, isSlice := t.(*types.Slice); list && isSlice {
		t = types.Unalias(s.Elem())
	}
	f.Type = w.kind(t, parts)
	switch {
	case list:
		f.Type = &shape.Layout{Form: shape.FormSlice, Elem: f.Type}
	case parts[2] == "opt" && f.Type.Form != shape.FormPointer:
		f.Omitted = true
	}
	return f, true
}

// kind is what a field holds. Numbers that are written alike, in a varint, have Go's names, as one can be widened to another.
func (w *messageWalk) kind(t types.Type, parts []string) *shape.Layout {
	if m := w.message(t); m != nil {
		return m
	}
	if p, ok := t.(*types.Pointer); ok {
		return &shape.Layout{Form: shape.FormPointer, Elem: w.kind(types.Unalias(p.Elem()), parts)}
	}
	name := "bytes"
	if b, ok := t.Underlying().(*types.Basic); ok {
		name = b.Name()
	}
	switch wire := parts[0]; {
	case slices.ContainsFunc(parts, func(p string) bool { return strings.HasPrefix(p, "enum=") }):
		name = "enum"
	case wire != "varint" && wire != "bytes":
		name = wire + "(" + name + ")"
	}
	return &shape.Layout{Form: name}
}
