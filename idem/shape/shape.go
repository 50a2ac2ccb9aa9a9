// Package shape judges types: which results survive their storage as json, which arguments can be compared with those of a
// duplicate, and what the stored json looks like.
//
// The rules are written once, over [Type], and used from both sides: the generator hands in what go/types knows, the runtime
// what reflection knows. So a type that passes at generate time passes at run time, too.
//
// The package is there for these two; it may change with any release.
package shape

import "reflect"

// Type is a Go type, seen from either side.
type Type interface {
	// ID is comparable, and equal for identical types.
	ID() any
	// Kind is that of the underlying type; reflect.Invalid for a type parameter, of which nothing is known yet.
	Kind() reflect.Kind
	// Name is import path, name and type arguments, "example.com/shop.Page[int]"; predeclared names stand alone. Type literals have none.
	Name() string
	// Label is what people call the type: "shop.Page[int]".
	Label() string
	// Elem is the element type of an array, map, pointer or slice.
	Elem() Type
	// Key is the key type of a map.
	Key() Type
	// Len is the length of an array.
	Len() int
	// Fields are those of a struct, in order, the blank ones left out.
	Fields() []Field
	// Methods reports whether an interface has any.
	Methods() bool
	// Method finds a method of the type or of a pointer to it; one with another signature is none.
	Method(MethodName) (Method, bool)
}

// Field is one field of a struct.
type Field struct {
	Name     string
	Type     Type
	Tag      reflect.StructTag
	Exported bool
	Embedded bool
	Pos      int // of its declaration, as package go/token counts; 0 where that is not known
}

// MethodName names a method that decides how values are written, read or compared.
type MethodName string

// The methods that matter, with the signatures of the interfaces they are known from.
const (
	MarshalJSON   MethodName = "MarshalJSON"
	UnmarshalJSON MethodName = "UnmarshalJSON"
	MarshalText   MethodName = "MarshalText"
	UnmarshalText MethodName = "UnmarshalText"
	MarshalBinary MethodName = "MarshalBinary"
	Read          MethodName = "Read"         // io.Reader
	IsZero        MethodName = "IsZero"       // what omitzero asks
	ProtoMessage  MethodName = "ProtoMessage" // marks a protobuf message
)

// Method is a method as far as the rules care.
type Method struct {
	// Pointer: its receiver is a pointer, so a value that has no address does not have it.
	Pointer bool
	// Promoted: it is a method of an embedded field, and knows nothing of the fields beside that.
	Promoted bool
}

// Problem is one thing that is wrong with a type. Path and Reason together are a sentence.
type Problem struct {
	// Rule is its short name, the same for all problems of one kind.
	Rule string
	// Path is where: the type's label, then fields, with [] for elements: "Plan.Steps[].Run". Empty: the type as a whole.
	Path string
	// Type is what stands there.
	Type Type
	// Pos is of the innermost field on the path, see Field.
	Pos int
	// Warning: only nil and empty, or spellings of one value, fall together.
	Warning bool
	// Reason is what is wrong, and what would come back instead: "is a function, which json can't write".
	Reason string
	// Mend is what to do about it.
	Mend string
}

// dataless reports whether there is only one value of t, so that nothing of it can get lost.
func dataless(t Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		for _, f := range t.Fields() {
			if !dataless(f.Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return t.Len() == 0 || dataless(t.Elem())
	default:
		return false
	}
}

func hasAny(t Type, names ...MethodName) bool {
	for _, name := range names {
		if _, ok := t.Method(name); ok {
			return true
		}
	}
	return false
}

// soleField is the only field of t that carries anything, if there is just one.
func soleField(t Type) (sole Field, ok bool) {
	for _, f := range t.Fields() {
		if dataless(f.Type) {
			continue
		}
		if ok {
			return Field{}, false
		}
		sole, ok = f, true
	}
	return sole, ok
}

// memberPath is the path of a member of t, which is itself at path: a field with its dot, or [].
func memberPath(path string, t Type, member string) string {
	named := t.Name() != ""
	switch {
	case named && onlyElements(path) && member[0] == '.':
		return path + t.Label() + member
	case path == "" && member[0] == '.':
		return member[1:]
	default:
		return path + member
	}
}

// onlyElements reports whether path leads through unnamed lists and maps alone, so that no name stands in it yet.
func onlyElements(path string) bool {
	for len(path) >= 2 && path[:2] == "[]" {
		path = path[2:]
	}
	return path == ""
}
