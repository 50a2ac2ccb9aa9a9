package idemtest

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// This file finds the first thing in which two values of one type differ, as their methods Equal and then their fields have it.

// difference is the path to it, and what was and is there; an empty path: they are equal. Values that can't be looked into, such as
// functions, are equal when they are both nil or both not.
func difference(path string, was, is reflect.Value) (where, a, b string) {
	if equal, ok := equalMethod(was, is); ok {
		if equal {
			return "", "", ""
		}
		return path, show(was), show(is)
	}
	switch was.Kind() {
	case reflect.Pointer, reflect.Interface:
		if was.IsNil() || is.IsNil() {
			return nilness(path, was, is)
		}
		if was.Kind() == reflect.Interface && was.Elem().Type() != is.Elem().Type() {
			return path, was.Elem().Type().String(), is.Elem().Type().String()
		}
		return difference(path, was.Elem(), is.Elem())
	case reflect.Struct:
		return fieldsDiffer(path, was, is)
	case reflect.Slice:
		if was.IsNil() != is.IsNil() {
			return nilness(path, was, is)
		}
		fallthrough
	case reflect.Array:
		return elementsDiffer(path, was, is)
	case reflect.Map:
		if was.IsNil() != is.IsNil() {
			return nilness(path, was, is)
		}
		return entriesDiffer(path, was, is)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return nilness(path, was, is)
	}
	if !was.Equal(is) {
		return path, show(was), show(is)
	}
	return "", "", ""
}

func nilness(path string, was, is reflect.Value) (where, a, b string) {
	if was.IsNil() == is.IsNil() {
		return "", "", ""
	}
	say := map[bool]string{true: "nil", false: "not nil"}
	return path, say[was.IsNil()], say[is.IsNil()]
}

func fieldsDiffer(path string, was, is reflect.Value) (where, a, b string) {
	_, message := was.Type().MethodByName("ProtoReflect")
	if !message && was.CanAddr() {
		_, message = was.Addr().Type().MethodByName("ProtoReflect")
	}
	for i := range was.NumField() {
		field := was.Type().Field(i)
		if message && !field.IsExported() {
			continue // what a protobuf message keeps for itself
		}
		if where, a, b = difference(path+"."+field.Name, was.Field(i), is.Field(i)); where != "" {
			return where, a, b
		}
	}
	return "", "", ""
}

func elementsDiffer(path string, was, is reflect.Value) (where, a, b string) {
	if was.Len() != is.Len() {
		return path, counted(was), counted(is)
	}
	for i := range was.Len() {
		if where, a, b = difference(path+"["+strconv.Itoa(i)+"]", was.Index(i), is.Index(i)); where != "" {
			return where, a, b
		}
	}
	return "", "", ""
}

func counted(v reflect.Value) string { return fmt.Sprintf("%d long", v.Len()) }

func entriesDiffer(path string, was, is reflect.Value) (where, a, b string) {
	if was.Len() != is.Len() {
		return path, counted(was), counted(is)
	}
	keys := was.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(show(a), show(b)) })
	for _, key := range keys {
		other := is.MapIndex(key)
		at := path + "[" + show(key) + "]"
		if !other.IsValid() {
			return at, show(was.MapIndex(key)), "missing"
		}
		if where, a, b = difference(at, was.MapIndex(key), other); where != "" {
			return where, a, b
		}
	}
	return "", "", ""
}

// equalMethod asks a method Equal(T) bool, where there is one that can be called.
func equalMethod(was, is reflect.Value) (equal, ok bool) {
	if !was.CanInterface() || was.Kind() == reflect.Interface || was.Kind() == reflect.Pointer && (was.IsNil() || is.IsNil()) {
		return false, false
	}
	switch a := was.Interface().(type) {
	case big.Int:
		b := is.Interface().(big.Int)
		return a.Cmp(&b) == 0, true
	case json.RawMessage: // idemgen warns of these two, and they are used all the same
		b := is.Interface().(json.RawMessage)
		return string(a) == string(b) || a == nil && string(b) == "null", true
	case json.Number:
		b := is.Interface().(json.Number)
		return a == b || a == "" && b == "0", true
	}
	method := was.MethodByName("Equal")
	if !method.IsValid() {
		return false, false
	}
	t := method.Type()
	if t.NumIn() != 1 || t.IsVariadic() || t.In(0) != was.Type() || t.NumOut() != 1 || t.Out(0).Kind() != reflect.Bool {
		return false, false
	}
	return method.Call([]reflect.Value{is})[0].Bool(), true
}

func show(v reflect.Value) string {
	if text := fmt.Sprintf("%#v", v); len(text) < 200 {
		return text
	}
	return "a " + v.Type().String()
}
