package lock

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/idem/shape"
)

// This file writes a layout as lines, each a path and what is there, so that a diff says which field has changed:
//
//	result {}
//	result.amount int64
//	result.lines []{}
//	result.lines[].sku string
//	result.next ?^result
//
// A struct is {}, and its fields have lines of their own. The prefixes ? [] [3] map[KEY] stand for pointers, slices, arrays and maps;
// ^PATH for the type that stands at PATH, where * is what a pointer leads to. Behind the type of a field stand `omitted`, where json leaves it
// out when it is empty or zero, and `behind`, where it does so when the embedded pointer that leads to the field is nil.

// fact is one line.
type fact struct{ path, text string }

// facts are the lines of the layout n, whose root is called name.
func facts(name string, n *shape.Layout) []fact {
	p := &printer{on: map[*shape.Layout]string{}}
	p.line(segment(name), n)
	return p.facts
}

type printer struct {
	facts []fact
	on    map[*shape.Layout]string // what is being written, and where it stands
}

// line writes n, which stands at path, and all that is below it.
func (p *printer) line(path string, n *shape.Layout) {
	text, inside, mark := "", path, path
	var entered []*shape.Layout
	defer func() {
		for _, n := range entered {
			delete(p.on, n)
		}
	}()
	for closing := ""; ; n = n.Elem {
		if at, again := p.on[n]; again {
			p.facts = append(p.facts, fact{path, text + "^" + at + closing})
			return
		}
		p.on[n] = mark
		entered = append(entered, n)
		switch n.Form {
		case shape.FormPointer:
			text, mark = text+"?", mark+"*"
			continue
		case shape.FormSlice:
			text += "[]"
		case shape.FormArray:
			text += "[" + strconv.Itoa(n.Len) + "]"
		case shape.FormMap:
			text += "map[" + p.key(n.Key) + "]"
		case shape.FormQuoted:
			text, closing = text+"string(", ")"
			continue
		case shape.FormStruct:
			p.facts = append(p.facts, fact{path, text + "{}"})
			for _, f := range n.Fields {
				first := len(p.facts)
				p.line(inside+"."+segment(f.Name), f.Type)
				p.facts[first].text += missing(f)
			}
			return
		default:
			p.facts = append(p.facts, fact{path, text + n.Form + closing})
			return
		}
		inside, mark = inside+"[]", mark+"[]"
	}
}

// missing says when a field is not there.
func missing(f shape.LayoutField) (text string) {
	if f.Omitted {
		text += " omitted"
	}
	if f.Behind {
		text += " behind"
	}
	return text
}

// key is the text of a map's key, where everything stands on the line.
func (p *printer) key(n *shape.Layout) string {
	inner := &printer{on: map[*shape.Layout]string{}}
	inner.line("key", n)
	texts := make([]string, len(inner.facts))
	for i, f := range inner.facts {
		texts[i] = strings.TrimPrefix(f.path, "key") + " " + f.text
	}
	return strings.TrimPrefix(strings.Join(texts, ", "), " ")
}

var plainSegment = regexp.MustCompile(`^[\pL\p{Nd}_][\pL\p{Nd}_-]*$`)

// segment is a name as part of a path.
func segment(name string) string {
	if plainSegment.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

// layoutReader puts layouts together again.
type layoutReader struct {
	roots   map[string]*shape.Layout // by name, unquoted
	structs map[string]*shape.Layout // by path
	marks   map[string]*shape.Layout
	lines   map[string]bool
}

func newLayoutReader() *layoutReader {
	return &layoutReader{map[string]*shape.Layout{}, map[string]*shape.Layout{}, map[string]*shape.Layout{}, map[string]bool{}}
}

// add reads one line.
func (r *layoutReader) add(f fact) error {
	if r.lines[f.path] {
		return fmt.Errorf("%s is there twice", f.path)
	}
	r.lines[f.path] = true
	parent, last := splitLast(f.path)
	name, err := unquoted(last)
	if err != nil {
		return err
	}
	if parent == "" {
		n, err := r.parse(f.path, f.text)
		r.roots[name] = n
		return err
	}
	above := r.structs[parent]
	if above == nil {
		return fmt.Errorf("there is no struct at %s above it", parent)
	}
	field := shape.LayoutField{Name: name}
	text, behind := strings.CutSuffix(f.text, " behind")
	text, omitted := strings.CutSuffix(text, " omitted")
	field.Omitted, field.Behind = omitted, behind
	field.Type, err = r.parse(f.path, text)
	above.Fields = append(above.Fields, field)
	return err
}

// parse reads the text at path.
func (r *layoutReader) parse(path, text string) (root *shape.Layout, err error) {
	mark := path
	for slot := &root; ; {
		if at, ok := strings.CutPrefix(text, "^"); ok {
			if *slot = r.marks[at]; *slot == nil || !around(at, path) {
				return nil, fmt.Errorf("nothing stands at %s that is around %s", at, path)
			}
			return root, nil
		}
		n := &shape.Layout{}
		*slot, r.marks[mark] = n, n
		switch {
		case text == "":
			return nil, fmt.Errorf("it does not say what is at %s", path)
		case text == shape.FormStruct:
			n.Form, r.structs[path] = text, n
			return root, nil
		case text[0] == '?':
			n.Form, text, mark = shape.FormPointer, text[1:], mark+"*"
		case strings.HasPrefix(text, "string(") && text[len(text)-1] == ')':
			n.Form, text = shape.FormQuoted, text[len("string("):len(text)-1]
		case strings.HasPrefix(text, "map["), text[0] == '[':
			if text, err = r.container(n, text); err != nil {
				return nil, err
			}
			path, mark = path+"[]", mark+"[]"
		default:
			n.Form = text
			return root, nil
		}
		slot = &n.Elem
	}
}

// around tells whether what has the mark at is the type at path, or one that it lies in.
func around(at, path string) bool {
	var plain strings.Builder // at without the marks of pointers; within quotes a * is a name's
	from := 0
	skipQuoted(at, func(byte) bool { return false }, func(i int) {
		if at[i] == '*' {
			plain.WriteString(at[from:i])
			from = i + 1
		}
	})
	plain.WriteString(at[from:])
	rest, ok := strings.CutPrefix(path, plain.String())
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// container reads the prefix of a list or map into n; rest is what its elements are.
func (r *layoutReader) container(n *shape.Layout, text string) (rest string, err error) {
	inside, rest, ok := bracketed(strings.TrimPrefix(text, "map"))
	switch {
	case !ok:
		return "", fmt.Errorf("%s has an opening bracket only", text)
	case text[0] == 'm':
		n.Form, n.Key = shape.FormMap, &shape.Layout{Form: inside}
	case inside == "":
		n.Form = shape.FormSlice
	default:
		n.Form = shape.FormArray
		if n.Len, err = strconv.Atoi(inside); err != nil || n.Len < 0 {
			return "", fmt.Errorf("%s is not the length of an array", inside)
		}
	}
	return rest, nil
}

// bracketed splits text, which begins with a bracket, behind the one that closes it.
func bracketed(text string) (inside, rest string, ok bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			quoted, err := strconv.QuotedPrefix(text[i:])
			if err != nil {
				return "", "", false
			}
			i += len(quoted) - 1
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return text[1:i], text[i+1:], true
			}
		}
	}
	return "", "", false
}

// splitPath cuts the path off that a line begins with.
func splitPath(line string) (path, rest string) {
	i := skipQuoted(line, func(c byte) bool { return c == ' ' })
	return line[:i], strings.TrimPrefix(line[i:], " ")
}

// splitLast cuts the last name off a path.
func splitLast(path string) (parent, last string) {
	dot := -1
	skipQuoted(path, func(byte) bool { return false }, func(i int) {
		if path[i] == '.' {
			dot = i
		}
	})
	if dot < 0 {
		return "", path
	}
	return path[:dot], path[dot+1:]
}

// skipQuoted is the place of the first byte outside of quotes for which stop is true, or the end.
func skipQuoted(text string, stop func(byte) bool, visit ...func(int)) int {
	for i := 0; i < len(text); i++ {
		if text[i] == '"' {
			if quoted, err := strconv.QuotedPrefix(text[i:]); err == nil {
				i += len(quoted) - 1
				continue
			}
		}
		if stop(text[i]) {
			return i
		}
		for _, v := range visit {
			v(i)
		}
	}
	return len(text)
}

func unquoted(name string) (string, error) {
	if strings.HasPrefix(name, `"`) {
		text, err := strconv.Unquote(name)
		if err != nil {
			return "", fmt.Errorf("%s is not quoted as in Go", name)
		}
		return text, nil
	}
	if !plainSegment.MatchString(name) {
		return "", fmt.Errorf("%q has to be quoted", name)
	}
	return name, nil
}
