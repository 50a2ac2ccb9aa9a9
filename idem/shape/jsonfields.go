package shape

import (
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// This file knows which fields of a struct encoding/json writes, under which names, and which it leaves out.

// jsonField is a field that json writes.
type jsonField struct {
	name      string // in json
	path      string // in Go, from the struct: ".Inner.ID"
	typ       Type
	field     Field
	depth     int  // how many structs it lies in
	pointers  int  // how many of them are embedded by a pointer
	behind    bool // there is one
	tagged    bool
	omitEmpty bool
	omitZero  bool
	quoted    bool // ,string
}

// embedding is an embedded struct whose fields json writes in line.
type embedding struct {
	path    string
	field   Field
	pointer bool
	written bool // json writes a field of it
	kept    bool // and one of them always, whatever its value

	pointers    int // as that of a field that lies in no other pointer
	first, last int // where its fields are among those found
}

// lostField is a field that json leaves out.
type lostField struct {
	path  string
	field Field
	rule  *Rule
	name  string // in json, where it has a rival
	rival string // the path of the field that has its name; empty: lost for another reason
}

// jsonFields sorts the fields of a struct into those that are written, those that are not, and the embedded structs on the way.
func jsonFields(t Type) (written []jsonField, lost []lostField, embedded []embedding) {
	s := &fieldScan{}
	s.scan(t, place{})
	for i, f := range s.found {
		rival, wins := f.contend(s.found)
		switch {
		case wins:
			written = append(written, f)
			s.writes(i)
		case !dataless(f.typ):
			lost = append(lost, lostField{f.path, f.field, ruleTwoNames, f.name, rival.path})
		}
	}
	return written, append(s.lost, lost...), s.embedded
}

// contend finds out whether f is the one field that gets its name: the least deep one, with a tag before without, and none when
// there are several of these. Rival is one it clashes with.
func (f jsonField) contend(all []jsonField) (rival jsonField, wins bool) {
	for _, other := range all {
		if other.name != f.name || other.path == f.path {
			continue
		}
		if other.depth < f.depth || other.depth == f.depth && (other.tagged || !f.tagged) {
			return other, false
		}
	}
	return jsonField{}, true
}

type fieldScan struct {
	found    []jsonField
	lost     []lostField
	embedded []embedding
}

// place is where an embedded struct lies.
type place struct {
	path  string
	field Field
	outer []any // the types of the structs around it
	// pointers is how many embedded pointers lead there.
	pointers int
}

// scan collects the fields of t, which lies at p.
func (s *fieldScan) scan(t Type, p place) {
	if slices.Contains(p.outer, t.ID()) {
		s.lost = append(s.lost, lostField{path: p.path, field: p.field, rule: ruleItself})
		return
	}
	p.outer = append(slices.Clip(p.outer), t.ID())
	for _, f := range t.Fields() {
		at := p.path + "." + f.Name
		inner, pointer := f.Type, false
		if f.Type.Kind() == reflect.Pointer && f.Type.Name() == "" {
			inner, pointer = f.Type.Elem(), true
		}
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if !validName(name) {
			name = ""
		}
		switch {
		case !f.Exported && !(f.Embedded && inner.Kind() == reflect.Struct):
			s.lose(f, at, ruleHidden)
		case tag == "-":
			s.lose(f, at, ruleDash)
		case f.Embedded && name == "" && inner.Kind() == reflect.Struct:
			here := place{at, f, p.outer, p.pointers}
			if pointer {
				here.pointers++
			}
			s.embed(f, inner, pointer, here)
		default:
			j := jsonField{
				name: name, path: at, typ: f.Type, field: f, depth: len(p.outer), pointers: p.pointers, behind: p.pointers > 0, tagged: name != "",
				omitEmpty: hasOption(options, "omitempty"), omitZero: hasOption(options, "omitzero"),
				quoted: hasOption(options, "string") && quotable(inner.Kind()),
			}
			if name == "" {
				j.name = f.Name
			}
			s.found = append(s.found, j)
		}
	}
}

// lose notes a field that json does not write.
func (s *fieldScan) lose(f Field, path string, r *Rule) {
	if !dataless(f.Type) {
		s.lost = append(s.lost, lostField{path: path, field: f, rule: r})
	}
}

// embed collects the fields of an embedded struct, which lies at p.
func (s *fieldScan) embed(f Field, inner Type, pointer bool, p place) {
	first := len(s.found)
	s.scan(inner, p)
	s.embedded = append(s.embedded, embedding{
		path: p.path, field: f, pointer: pointer, pointers: p.pointers, first: first, last: len(s.found),
	})
}

// writes notes of the structs around the field at i that json writes it: one that lost its name to a rival shows nothing of them.
func (s *fieldScan) writes(i int) {
	f := s.found[i]
	for n := range s.embedded {
		if e := &s.embedded[n]; e.first <= i && i < e.last {
			e.written = true
			e.kept = e.kept || !f.omitEmpty && !f.omitZero && f.pointers == e.pointers
		}
	}
}

func hasOption(options, want string) bool {
	return slices.Contains(strings.Split(options, ","), want)
}

// quotable reports whether json heeds the option string for the kind.
func quotable(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Float64 || k == reflect.String
}

// validName reports whether json takes a tag's text for a name.
func validName(name string) bool {
	const punctuation = "!#$%&()*+-./:;<=>?@[]^_{|}~ "
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(punctuation, r)
	})
}
