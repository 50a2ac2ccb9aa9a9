package shape

import (
	"reflect"
	"strconv"
	"strings"
)

// This file writes types by name. The names are stored (in the operations of generic wrappers, in fingerprints, in schema
// hashes), so they hold import paths, and do not depend on how reflection prints types.

// TypeName is t in Go's notation with import paths for package names.
func TypeName(t reflect.Type) string {
	if t.Name() != "" {
		name := unescape(t.Name())
		if t.PkgPath() != "" {
			return t.PkgPath() + "." + name
		}
		return name
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + TypeName(t.Elem())
	case reflect.Slice:
		return "[]" + TypeName(t.Elem())
	case reflect.Array:
		return "[" + strconv.Itoa(t.Len()) + "]" + TypeName(t.Elem())
	case reflect.Map:
		return "map[" + TypeName(t.Key()) + "]" + TypeName(t.Elem())
	case reflect.Chan:
		// The parentheses keep chan (<-chan T) and chan<- (chan T) apart.
		return t.ChanDir().String() + " (" + TypeName(t.Elem()) + ")"
	case reflect.Func:
		return "func" + signature(t)
	case reflect.Struct:
		return "struct{" + structFields(t) + "}"
	case reflect.Interface:
		return "interface{" + interfaceMethods(t) + "}"
	default:
		return t.String()
	}
}

func signature(t reflect.Type) string {
	var in, out []string
	for i := range t.NumIn() {
		in = append(in, TypeName(t.In(i)))
	}
	if t.IsVariadic() {
		last := len(in) - 1
		in[last] = "..." + strings.TrimPrefix(in[last], "[]")
	}
	for i := range t.NumOut() {
		out = append(out, TypeName(t.Out(i)))
	}
	return "(" + strings.Join(in, ",") + ")(" + strings.Join(out, ",") + ")"
}

func structFields(t reflect.Type) string {
	var fields []string
	for i := range t.NumField() {
		f := t.Field(i)
		text := TypeName(f.Type)
		if !f.Anonymous {
			text = f.Name + " " + text
		}
		if f.PkgPath != "" {
			text = f.PkgPath + "." + text
		}
		if f.Tag != "" {
			text += " " + strconv.Quote(string(f.Tag))
		}
		fields = append(fields, text)
	}
	return strings.Join(fields, ";")
}

func interfaceMethods(t reflect.Type) string {
	var methods []string
	for i := range t.NumMethod() {
		m := t.Method(i)
		text := m.Name + signature(m.Type)
		if m.PkgPath != "" {
			text = m.PkgPath + "." + text
		}
		methods = append(methods, text)
	}
	return strings.Join(methods, ";")
}

// unescape takes out the escapes that the compiler writes into the import paths of type arguments (example.com/x%2ey). Struct
// tags in them stay as they are.
func unescape(name string) string {
	if !strings.Contains(name, "%") {
		return name
	}
	var b strings.Builder
	quoted := false
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case quoted && c == '\\' && i+1 < len(name):
			b.WriteByte(c)
			i++
			c = name[i]
		case c == '"':
			quoted = !quoted
		case !quoted && c == '%' && i+2 < len(name):
			if n, err := strconv.ParseUint(name[i+1:i+3], 16, 8); err == nil {
				c = byte(n)
				i += 2
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}
