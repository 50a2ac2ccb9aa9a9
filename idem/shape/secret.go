package shape

import (
	"reflect"
	"strconv"
	"strings"
)

// This file reads the struct tag idem. It knows one word: idem:"secret" keeps a field out of everything people see, and out of
// fingerprints that have no key.

// Mark is what a field's tag idem says.
type Mark uint8

// The marks.
const (
	MarkNone Mark = iota
	MarkSecret
	MarkUnknown // there is such a tag, and it says something else
)

// Mark reads the field's tag.
func (f Field) Mark() Mark {
	tag := string(f.Tag)
	for {
		tag = strings.TrimLeft(tag, " ")
		key, rest, ok := strings.Cut(tag, ":")
		value, err := strconv.QuotedPrefix(rest)
		switch {
		case tag == "":
			return MarkNone
		case !ok || err != nil || strings.ContainsAny(key, " \"\t"): // reflection sees nothing from here on
			if strings.Contains(strings.ToLower(tag), "idem:") {
				return MarkUnknown
			}
			return MarkNone
		case key == "idem" && value == `"secret"`:
			return MarkSecret
		case strings.EqualFold(strings.Trim(key, ",;"), "idem"):
			return MarkUnknown
		}
		tag = rest[len(value):]
	}
}

// Marked lists the fields in values of t that are marked as secret, and those whose tag idem says something unknown. What interfaces
// hold is not seen.
func Marked(t Type) (secret, unknown []Problem) {
	w := markWalk{seen: map[any]bool{}}
	w.value(t, spot{})
	return w.secret, w.unknown
}

type markWalk struct {
	secret, unknown []Problem
	seen            map[any]bool
	nesting         nesting
}

func (w *markWalk) value(t Type, at spot) {
	if !w.nesting.enter(t) {
		return
	}
	defer w.nesting.leave(t)
	if t.Name() != "" {
		if w.seen[t.ID()] {
			return
		}
		w.seen[t.ID()] = true
	}
	switch t.Kind() {
	case reflect.Pointer:
		w.value(t.Elem(), at)
	case reflect.Slice, reflect.Array:
		w.value(t.Elem(), at.member(t, "[]", false))
	case reflect.Map:
		w.value(t.Key(), at.member(t, "[]", false))
		w.value(t.Elem(), at.member(t, "[]", false))
	case reflect.Struct:
		for _, f := range t.Fields() {
			w.field(f, at.field(t, "."+f.Name, f, false))
		}
	}
}

func (w *markWalk) field(f Field, at spot) {
	p := Problem{Path: at.path, Type: f.Type, Pos: at.pos}
	switch f.Mark() {
	case MarkSecret:
		w.secret = append(w.secret, p)
	case MarkUnknown:
		w.unknown = append(w.unknown, p)
	}
	w.value(f.Type, at)
}
