package lock

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// This file reads the text. It is strict: what it does not know may be a newer program's, and must not get lost when the file is
// written again.

// Error is what is wrong with a text, and where. Its text ends with what to do.
type Error struct {
	Line, Col int
	Text      string
}

func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Text) }

const restore = "; take the file from version control and run idemgen"

// Parse reads a file's text.
func Parse(text []byte) (*File, *Error) {
	p := &parser{file: &File{}, seen: map[string]int{}}
	for line := range strings.Lines(string(text)) {
		p.number++
		p.line(strings.TrimRight(line, "\r\n"))
		if p.err != nil {
			return nil, p.err
		}
	}
	if p.version == 0 {
		return nil, &Error{1, 1, "there is no version line" + restore}
	}
	if p.finish(); p.err != nil {
		return nil, p.err
	}
	return p.file, nil
}

type parser struct {
	file    *File
	number  int
	version int
	err     *Error
	seen    map[string]int // blocks and single facts

	iface   *Interface
	op      *Operation
	started int // the line of the block
	args    *layoutReader
	result  *layoutReader
	upcasts *layoutReader
	errors  *layoutReader
}

// fail notes an error at byte col of the line.
func (p *parser) fail(col int, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{p.number, col + 1, fmt.Sprintf(format, args...)}
	}
}

var conflict = regexp.MustCompile(`^(<{7}|={7}|>{7}|\|{7})( |$)`)

func (p *parser) line(line string) {
	switch {
	case conflict.MatchString(line):
		p.fail(0, "a merge conflict is not resolved; take either side (git checkout --theirs %s) and run idemgen", Name)
		return
	case strings.TrimSpace(line) == "", line[0] == '#':
		return
	case p.version == 0:
		p.readVersion(line)
		return
	}
	word, rest, _ := strings.Cut(strings.TrimLeft(line, " \t"), " ")
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	at := indent + len(word) + 1
	switch {
	case indent == 0 && (word == "interface" || word == "operation"):
		p.block(word, rest)
	case indent == 0:
		p.fail(0, "`%s` begins neither an interface nor an operation%s", word, restore)
	case p.iface != nil && word == "forwards":
		p.iface.Forwards = append(p.iface.Forwards, rest)
	case p.op != nil:
		p.fact(word, rest, strings.TrimLeft(line, " \t"), indent, at)
	default:
		p.fail(indent, "unknown word `%s`%s", word, restore)
	}
}

func (p *parser) readVersion(line string) {
	number, ok := strings.CutPrefix(line, "version ")
	n, err := strconv.Atoi(number)
	switch {
	case !ok:
		p.fail(0, "expected a line `version %d`%s", version, restore)
	case err != nil || n < 1:
		p.fail(len("version "), "`%s` is not a version%s", number, restore)
	case n > version:
		p.fail(len("version "), "a newer idemgen wrote this file: it has version %d, and this idemgen reads up to %d; use the newer one", n, version)
	}
	p.version = n
}

// block begins an interface or an operation.
func (p *parser) block(word, name string) {
	if p.finish(); p.err != nil {
		return
	}
	if name == "" {
		p.fail(0, "`%s` has no name%s", word, restore)
		return
	}
	p.once(word+" "+name, 0)
	p.started, p.iface, p.op = p.number, nil, nil
	if word == "operation" {
		p.op = &Operation{Name: name, Line: p.number}
		p.args, p.result, p.upcasts, p.errors = newLayoutReader(), newLayoutReader(), newLayoutReader(), newLayoutReader()
		p.file.Operations = append(p.file.Operations, p.op)
		return
	}
	folder, name, ok := strings.Cut(name, " ")
	if !ok {
		p.fail(len("interface "), "`%s` is not a folder and an interface%s", folder, restore)
	}
	p.iface = &Interface{Folder: folder, Name: name, Line: p.number}
	p.file.Interfaces = append(p.file.Interfaces, p.iface)
}

// once wants that something is said only once. A merge can leave two of them without a conflict.
func (p *parser) once(what string, col int) {
	if first, twice := p.seen[what]; twice {
		p.fail(col, "`%s` stands at line %d already; delete one of the two and run idemgen", what, first)
	}
	p.seen[what] = p.number
}

var hash = regexp.MustCompile(`^[0-9a-f]{16}$`)

// fact reads one line of an operation. At is where rest begins.
func (p *parser) fact(word, rest, whole string, indent, at int) {
	o := p.op
	if rest == "" {
		p.fail(indent, "nothing follows `%s`%s", word, restore)
		return
	}
	single := func(field *string) {
		p.once(fmt.Sprintf("%s of %s", word, o.Name), indent)
		*field = rest
	}
	layout := func(r *layoutReader, text string, col int) {
		path, what := splitPath(text)
		if err := r.add(fact{path, what}); err != nil {
			p.fail(col, "%s%s", err, restore)
		}
	}
	switch word {
	case "method":
		single(&o.Folder)
		var ok bool
		if o.Folder, o.Method, ok = strings.Cut(rest, " "); !ok {
			p.fail(at, "`%s` is not a folder and a method%s", rest, restore)
		}
	case "parameter":
		o.Parameters = append(o.Parameters, rest)
	case "key":
		o.Key = append(o.Key, rest)
	case "scope":
		single(&o.Scope)
	case "ttl":
		single(&o.TTL)
	case "kept":
		single(&o.Kept)
	case "codec":
		single(&o.Codec)
	case "shape":
		single(&o.Result.Hash)
		p.hash(rest, at)
	case "reads":
		o.Reads = append(o.Reads, rest)
		p.hash(rest, at)
	case "secret":
		o.Secrets = append(o.Secrets, rest)
	case "argument":
		layout(p.args, rest, at)
	case "final":
		layout(p.errors, rest, at)
	case "upcast":
		if of, read, ok := strings.Cut(rest, " reads "); ok {
			p.hash(of, at)
			p.hash(read, at+len(of)+len(" reads "))
			p.upcast(of).Reads = append(p.upcast(of).Reads, read)
			return
		}
		layout(p.upcasts, rest, at)
	default:
		if path, _ := splitPath(whole); path == "result" || strings.HasPrefix(path, "result.") || strings.HasPrefix(path, "result[") {
			layout(p.result, whole, indent)
			return
		}
		p.fail(indent, "unknown word `%s`; a newer idemgen may have written it: use that, or take the file from version control", word)
	}
}

func (p *parser) hash(text string, col int) {
	if !hash.MatchString(text) {
		p.fail(col, "`%s` is not the hash of a shape, 16 digits and letters from a to f%s", text, restore)
	}
}

func (p *parser) upcast(of string) *Upcast {
	for i := range p.op.Upcasts {
		if p.op.Upcasts[i].Hash == of {
			return &p.op.Upcasts[i]
		}
	}
	p.op.Upcasts = append(p.op.Upcasts, Upcast{Shape: Shape{Hash: of}})
	return &p.op.Upcasts[len(p.op.Upcasts)-1]
}

// finish ends a block: all that an operation needs must have been there.
func (p *parser) finish() {
	o := p.op
	if o == nil {
		return
	}
	for name, layout := range p.args.roots {
		o.Arguments = append(o.Arguments, Argument{name, layout})
	}
	for code, layout := range p.errors.roots {
		o.Errors = append(o.Errors, StoredError{code, layout})
	}
	for of, layout := range p.upcasts.roots {
		p.hash(of, 0)
		p.upcast(of).Layout = layout
	}
	o.Result.Layout = p.result.roots["result"]
	missing := ""
	switch {
	case o.Method == "":
		missing = "method"
	case len(o.Key) == 0:
		missing = "key"
	case o.TTL == "":
		missing = "ttl"
	case o.Codec == "":
		missing = "codec"
	case o.Result.Hash == "" && (o.Codec == "json" || o.Result.Layout != nil && o.Codec != "proto"):
		missing = "shape"
	case o.Result.Layout == nil && o.Result.Hash != "":
		missing = "result"
	}
	for _, u := range o.Upcasts {
		if u.Layout == nil {
			missing = "upcast " + u.Hash
		}
	}
	if missing != "" && p.err == nil {
		p.err = &Error{p.started, 1, fmt.Sprintf("`%s` has no line `%s`%s", o.Name, missing, restore)}
	}
	p.op = nil
}
