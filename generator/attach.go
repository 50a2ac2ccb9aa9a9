package generator

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// This file finds out what each annotation of a file stands on. It looks at every comment, because an annotation that stands
// on nothing, or on the wrong thing, must be an error and never be ignored.

// typeDecl is an interface: its declaration, or the place where one without a name is written.
type typeDecl struct {
	name    string
	file    *sourceFile
	spec    *ast.TypeSpec // nil: without a name
	node    ast.Node      // its syntax
	doc     *ast.CommentGroup
	local   bool // inside a function
	refused bool // what was meant to wrap it has been refused, so nothing is said of what is inside
	notes   []annotation
	on      []annotation // what it says of methods it embeds; see on.go
	unclear meant        // the names of methods that a refused on may be about
	meant   meant
	methods []*methodDecl
	embeds  []ast.Expr
	excused []token.Position // of the embedded types that were meant to be annotated
}

// methodDecl is a method as it is declared.
type methodDecl struct {
	decl  *typeDecl
	file  *sourceFile
	field *ast.Field
	notes []annotation
	meant meant
}

// note is the annotation with the word, if there is one.
func note(notes []annotation, word string) (annotation, bool) {
	for _, n := range notes {
		if n.Word == word {
			return n, true
		}
	}
	return annotation{}, false
}

// flaw is a diagnostic about an annotation itself.
type flaw struct {
	at         token.Position
	code, text string
}

// owner is what a doc comment documents.
type owner struct {
	what   string    // "a function": what it is when it can't be annotated
	decl   *typeDecl // an interface
	method *methodDecl
}

// attacher reads one file.
type attacher struct {
	p      *program
	info   *types.Info
	file   *sourceFile
	owners map[*ast.CommentGroup]*owner
	known  map[*ast.InterfaceType]*typeDecl
	params []*ast.Field
	flaws  []flaw

	subjects map[line]string // the methods that lines with on are about

	mentions bool // there may be annotations; else all that matters are the interfaces at package level
}

// attach finds the interfaces of f and what is written on them. It notes what is wrong with it, and which methods lines with on are about.
func attach(p *program, s *source, f *sourceFile) (subjects map[line]string) {
	a := &attacher{
		p: p, info: s.TypesInfo, file: f, owners: map[*ast.CommentGroup]*owner{},
		known: map[*ast.InterfaceType]*typeDecl{}, mentions: mentionsAnnotation(f.text), subjects: map[line]string{},
	}
	a.own(f.tree.Doc, &owner{what: "the package clause"})
	ast.Walk(visitor{attacher: a}, f.tree)
	if !a.mentions {
		return nil
	}
	for _, group := range f.tree.Comments {
		for _, c := range group.List {
			a.comment(group, c)
		}
	}
	f.flaws = a.flaws
	return a.subjects
}

func (a *attacher) own(doc *ast.CommentGroup, o *owner) {
	if doc != nil {
		a.owners[doc] = o
	}
}

// comment reads one comment.
func (a *attacher) comment(group *ast.CommentGroup, c *ast.Comment) {
	pos := a.p.position(c.Slash)
	text, alone := a.line(c)
	n, ok := parseAnnotation(text, pos)
	if !ok {
		o := a.owners[group]
		inDoc := o != nil && (o.decl != nil || o.method != nil)
		if word, hint, meant := lookalike(text, inDoc); meant {
			a.excuse(group, c, word, alone)
			a.flaw(pos, codeLookalike, "this looks like an annotation and is none; %s", hint)
		}
		return
	}
	w, known := lookup(n.Word)
	switch {
	case !known:
		word, _ := nearest(n.Word, slips(n.Word))
		a.excuse(group, c, word, alone)
		a.flaw(pos, codeUnknownWord, "unknown annotation `%s`%s", n.text(), suggestion(n.Word))
	case !alone:
		a.excuse(group, c, w.name, alone)
		a.flaw(pos, codeTrailing, "`%s` stands behind something; put it on a line of its own above %s", n.text(), w.belongs())
	case a.owners[group] != nil:
		a.place(group, c, n, w)
	default:
		a.excuse(group, c, w.name, alone)
		a.unattached(c, n, w)
	}
}

// slips is how many wrong letters still make a word of the language.
func slips(name string) int { return 1 + len(name)/5 }

func suggestion(name string) string {
	if w, ok := nearest(name, slips(name)); ok {
		return fmt.Sprintf("; did you mean `idem:%s`?", w)
	}
	if name == "" {
		return "; write the word right behind the colon"
	}
	return "; use one of " + knownWords() + ", or delete it"
}

// knownWords lists the language.
func knownWords() string {
	var names []string
	for _, w := range words {
		names = append(names, w.name)
	}
	return strings.Join(names, ", ")
}

// line is the text of a comment, of a line comment to the end of its line, byte by byte as in the file (the parser drops carriage returns),
// and whether nothing else stands before it.
func (a *attacher) line(c *ast.Comment) (text string, alone bool) {
	at := a.p.fset.File(c.Slash).Offset(c.Slash)
	before := a.file.text[:at]
	before = before[bytes.LastIndexByte(before, '\n')+1:]
	before = bytes.TrimPrefix(before, []byte("\ufeff"))
	alone = len(bytes.TrimLeft(before, " \t")) == 0
	if strings.HasPrefix(c.Text, "/*") {
		end := at + len("/*") + bytes.Index(a.file.text[at+len("/*"):], []byte("*/"))
		return string(a.file.text[at:end]), alone
	}
	after, _, _ := bytes.Cut(a.file.text[at:], []byte("\n"))
	return string(after), alone
}

func (a *attacher) flaw(at token.Position, code, format string, args ...any) {
	a.flaws = append(a.flaws, flaw{at, code, fmt.Sprintf(format, args...)})
}

// place attaches n to what the comments document, if it may.
func (a *attacher) place(group *ast.CommentGroup, c *ast.Comment, n annotation, w word) {
	o := a.owners[group]
	switch {
	case o.decl != nil && w.name == "wrap" && o.decl.local:
		a.excuse(group, c, w.name, true)
		a.flaw(n.Pos, codeUnnamed, "`%s` is declared inside a function, where a wrapper can't name it; declare it at package level", o.decl.name)
	case o.decl != nil && w.on&onInterface == 0:
		a.flaw(n.Pos, codeWrongPlace, "`%s` belongs on %s, not on an interface; move it", n.text(), w.belongs())
	case o.decl != nil && w.name == "on":
		a.on(o.decl, n)
	case o.decl != nil:
		o.decl.notes = a.add(o.decl.notes, n, w, onInterface)
	case o.method != nil && w.on&onMethod == 0:
		a.flaw(n.Pos, codeWrongPlace, "`%s` belongs on %s, not on a method; move it", n.text(), w.belongs())
	case o.method != nil:
		if w.name == "skip" && n.Arg == "*" { // which is refused, and was meant for the interface
			o.method.decl.meant = o.method.decl.meant.with("skip")
		}
		o.method.notes = a.add(o.method.notes, n, w, onMethod)
	default:
		a.excuse(group, c, w.name, true)
		mend := "; move it, or delete it"
		if o.what == embeddedInterface && w.on&onMethod != 0 {
			mend = "; write `//idem:on METHOD " + strings.TrimSpace(n.Word+" "+n.Arg) + "` above the interface"
		}
		a.flaw(n.Pos, codeWrongPlace, "`%s` belongs on %s, not on %s%s", n.text(), w.belongs(), o.what, mend)
	}
}

// add attaches n unless it says what is said already, or nothing.
func (a *attacher) add(notes []annotation, n annotation, w word, on place) []annotation {
	for _, first := range notes {
		if first.subject() == n.subject() {
			a.flaw(n.Pos, codeTwice, "`idem:%s` is given twice, first at %s; delete one of them", strings.TrimPrefix(n.text(), "idem:")+strings.TrimPrefix(n.subject(), n.Word), a.p.report.place(first.Pos))
			return notes
		}
	}
	switch {
	case w.argument == needsArgument && n.Arg == "":
		a.flaw(n.Pos, codeBadValue, "`%s` needs %s; write that behind it", n.text(), w.wants)
	case w.argument == noArgument && n.Arg != "":
		a.flaw(n.at(0), codeBadValue, "`%s` takes no argument; delete what follows it", n.text())
	case w.name == "skip" && on == onMethod && n.Arg == "*":
		a.flaw(n.at(0), codeWrongPlace, "`idem:skip *` belongs on an interface declaration, not on a method; move it there, or delete the `*`")
	case w.name == "skip" && on == onMethod && n.Arg != "":
		a.flaw(n.at(0), codeBadValue, "`idem:skip` on a method takes no argument; delete what follows it")
	case w.name == "skip" && on == onInterface && n.Arg == "":
		a.flaw(n.Pos, codeBadValue, "`idem:skip` on an interface takes a `*`; write `//idem:skip *` to forward all methods without a key")
	case w.name == "skip" && on == onInterface && n.Arg != "*":
		a.flaw(n.at(0), codeBadValue, "`idem:skip` on an interface takes nothing but a `*`; write `//idem:skip *`")
	}
	return append(notes, n)
}

// unattached is about an annotation that is in no doc comment.
func (a *attacher) unattached(c *ast.Comment, n annotation, w word) {
	for _, field := range a.params {
		if a.p.position(field.Pos()).Line == n.Pos.Line+1 && field.Pos() > c.End() {
			a.flaw(n.Pos, codeUnnamed, "`%s` belongs on %s with a name, not on a parameter; declare the interface at package level", n.text(), w.belongs())
			return
		}
	}
	below := "no declaration"
	if w.on&onInterface == 0 {
		below = "no method"
	}
	a.flaw(n.Pos, codeDetached, "`%s` is attached to %s; close the gap below it, or delete it", n.text(), below)
}
