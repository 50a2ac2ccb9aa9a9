package lock

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file decides whether a result that was stored in one shape still means the same when it is read as another. It knows how the
// codec json reads: strictly (a field that is not there any more makes the whole unreadable), a missing field as its zero value, names
// in whatever case. A change counts as harmless only if every value comes back as it was.

// Change is one thing that stored results don't survive.
type Change struct {
	Path string // "result.lines[].sku"
	What string // "is gone (it was a string)"
}

func (c Change) String() string { return c.Path + " " + c.What }

// Unreadable lists what keeps results of the layout was from being read as the layout is; nothing: each is read as it was stored.
func Unreadable(was, is *shape.Layout) []Change {
	return (&comparison{}).compare(was, is, "result")
}

type comparison struct {
	changes []Change
	seen    map[seenPair]bool
}

// seenPair is two layouts that are compared. Missing: of the old one the zero value may be stored as nothing, and is then read as the zero
// value of the new one.
type seenPair struct {
	was, is *shape.Layout
	missing bool
}

func (c *comparison) fail(path, format string, args ...any) {
	c.changes = append(c.changes, Change{path, fmt.Sprintf(format, args...)})
}

func (c *comparison) value(was, is *shape.Layout, path string, missing bool) {
	pair := seenPair{was, is, missing}
	if c.seen[pair] {
		return
	}
	c.seen[pair] = true
	switch {
	case was.Form == shape.FormPointer && is.Form == shape.FormPointer:
		c.value(was.Elem, is.Elem, path, false)
	case was.Form == shape.FormPointer:
		c.fail(path, "may have been nil, and is %s now", describe(is))
	case is.Form == shape.FormPointer && !nullable(was):
		if missing {
			c.fail(path, "was left out where it was zero, and would be a nil pointer now")
			return
		}
		c.value(was, is.Elem, path, false)
	case was.Form == shape.FormArray && (is.Form == shape.FormSlice || is.Form == "bytes" && was.Elem.Form == "uint8"):
		switch {
		case missing:
			c.fail(path, "was left out where it was zero, and would be an empty list now")
		case is.Form == shape.FormSlice:
			c.value(was.Elem, is.Elem, path+"[]", false)
		}
	case was.Form != is.Form:
		if !widens(was.Form, is.Form) {
			c.fail(path, "was %s, and is %s now", describe(was), describe(is))
		}
	default:
		c.sameForm(was, is, path, missing)
	}
}

// sameForm compares what two layouts of one form consist of.
func (c *comparison) sameForm(was, is *shape.Layout, path string, missing bool) {
	switch was.Form {
	case shape.FormStruct:
		c.fields(was, is, path, missing)
	case shape.FormArray:
		if was.Len != is.Len {
			c.fail(path, "had %d elements, and has %d now", was.Len, is.Len)
			return
		}
		c.value(was.Elem, is.Elem, path+"[]", missing)
	case shape.FormSlice:
		c.value(was.Elem, is.Elem, path+"[]", false)
	case shape.FormQuoted:
		c.value(was.Elem, is.Elem, path, missing)
	case shape.FormMap:
		if k, l := keyText(was.Key), keyText(is.Key); k != l && !widens(k, l) {
			c.fail(path, "had %s as keys, and has %s now", k, l)
			return
		}
		c.value(was.Elem, is.Elem, path+"[]", false)
	}
}

// fields compares two structs by the names in json.
func (c *comparison) fields(was, is *shape.Layout, path string, missing bool) {
	readers := map[string]string{} // field of is → the field of was that it reads
	for _, f := range was.Fields {
		at := path + "." + segment(f.Name)
		i := reads(is.Fields, f.Name)
		if i < 0 {
			c.fail(at, "is gone (it was %s%s)", describe(f.Type), renamed(was, is, f))
			continue
		}
		reader := is.Fields[i]
		if also := slices.IndexFunc(is.Fields[i+1:], func(g shape.LayoutField) bool { return strings.EqualFold(g.Name, f.Name) }); also >= 0 && reader.Name != f.Name {
			c.fail(at, "would be read as %s or %s: json ignores the case of names", segment(reader.Name), segment(is.Fields[i+1+also].Name))
			continue
		}
		if other, twice := readers[reader.Name]; twice {
			c.fail(at, "and %s would both be read as %s: json ignores the case of names", segment(other), segment(reader.Name))
			continue
		}
		readers[reader.Name] = f.Name
		switch {
		case f.Behind && !reader.Behind:
			c.fail(at, "may have been missing, with the embedded pointer that led to it")
		case !f.Behind && reader.Behind && (f.Omitted || missing):
			c.fail(at, "was left out where it was zero, and would be behind a nil pointer now")
		default:
			c.value(f.Type, reader.Type, at, f.Omitted || missing)
		}
	}
}

// reads is the index of the field that json reads name into.
func reads(fields []shape.LayoutField, name string) int {
	if i := slices.IndexFunc(fields, func(f shape.LayoutField) bool { return f.Name == name }); i >= 0 {
		return i
	}
	return slices.IndexFunc(fields, func(f shape.LayoutField) bool { return strings.EqualFold(f.Name, name) })
}

// renamed asks whether the one field that is new in is and looks like f is f by another name.
func renamed(was, is *shape.Layout, f shape.LayoutField) string {
	var like []string
	for _, other := range is.Fields {
		if reads(was.Fields, other.Name) < 0 && len(new(comparison).compare(f.Type, other.Type, "")) == 0 {
			like = append(like, segment(other.Name))
		}
	}
	if len(like) != 1 {
		return ""
	}
	return "; renamed to " + like[0] + "?"
}

func (c *comparison) compare(was, is *shape.Layout, path string) []Change {
	c.seen = map[seenPair]bool{}
	c.value(was, is, path, false)
	return c.changes
}

// Inherit notes in is which fields may be missing in results of the layout was, which are read as it is: a change of is that comes later
// has to respect them, too.
func Inherit(was, is *shape.Layout) {
	seen := map[seenPair]bool{}
	var walk func(was, is *shape.Layout)
	walk = func(was, is *shape.Layout) {
		for was != nil && was.Form == shape.FormPointer {
			was = was.Elem
		}
		for is != nil && is.Form == shape.FormPointer {
			is = is.Elem
		}
		if was == nil || is == nil || seen[seenPair{was: was, is: is}] {
			return
		}
		seen[seenPair{was: was, is: is}] = true
		for _, f := range was.Fields {
			if i := reads(is.Fields, f.Name); i >= 0 {
				is.Fields[i].Omitted = is.Fields[i].Omitted || f.Omitted
				walk(f.Type, is.Fields[i].Type)
			}
		}
		walk(was.Elem, is.Elem)
	}
	walk(was, is)
}

// nullable reports whether json may write null for a value that is no pointer.
func nullable(n *shape.Layout) bool {
	switch n.Form {
	case shape.FormPointer, shape.FormSlice, shape.FormMap, "bytes", "any", "parameter":
		return true
	default:
		return strings.HasPrefix(n.Form, "json(") && n.Form != "json(time.Time)" // who knows what others write
	}
}

// widths are the bits of numbers without their sign. An int counts as 64 bits, as it has almost everywhere.
var widths = map[string]int{
	"int8": 7, "int16": 15, "int32": 31, "int64": 63, "int": 63,
	"uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64, "uint": 64, "uintptr": 64,
	"float32": 24, "float64": 53,
}

// widens reports whether a number of type is holds every one of type was.
func widens(was, is string) bool {
	from, to := widths[was], widths[is]
	signed := strings.HasPrefix(was, "int")
	switch {
	case from == 0 || to == 0:
		return false
	case strings.HasPrefix(was, "float"):
		return strings.HasPrefix(is, "float") && from <= to
	case strings.HasPrefix(is, "u"):
		return !signed && from <= to
	default:
		return from <= to
	}
}

// describe is a layout for people.
func describe(n *shape.Layout) string {
	switch n.Form {
	case shape.FormStruct:
		return "a struct"
	case shape.FormPointer:
		if n.Elem == n {
			return "a pointer"
		}
		return "a pointer to " + describe(n.Elem)
	case shape.FormSlice:
		return "a list"
	case shape.FormArray:
		return fmt.Sprintf("an array of %d", n.Len)
	case shape.FormMap:
		return "a map"
	case shape.FormQuoted:
		return describe(n.Elem) + " written as a string"
	case "void":
		return "nothing"
	case "parameter":
		return "a type parameter"
	}
	return n.Form
}

// keyText is the layout of a map's key on one line.
func keyText(n *shape.Layout) string { return (&printer{}).key(n) }
