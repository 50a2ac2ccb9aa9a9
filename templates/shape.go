package templates

import "github.com/dave/jennifer/jen"

// This file holds the layout that declarations share and jennifer lacks.

// lines puts each piece on a line of its own, and an empty line after the last.
func lines(pieces ...jen.Code) *jen.Statement {
	s := new(jen.Statement)
	for _, p := range pieces {
		s.Add(p).Line()
	}
	return s
}

// documented is a declaration under its doc comment.
func documented(doc []string, declaration jen.Code) jen.Code {
	s := new(jen.Statement)
	for _, line := range doc {
		s.Add(comment(line)).Line()
	}
	return s.Add(declaration).Line()
}

// comment is a line comment: jennifer would make block comments of some texts. A line that begins with a tab is code, and has no blank after
// the slashes.
func comment(line string) jen.Code {
	if line == "" || line[0] == '\t' {
		return jen.Comment("//" + line)
	}
	return jen.Comment("// " + line)
}

// fields yields {a: b, c: d} with each on a line of its own.
func fields(entries ...jen.Code) jen.Code {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, entries...)
}

// field yields name: value.
func field(name string, value jen.Code) jen.Code {
	return jen.Id(name).Op(":").Add(value)
}

// inline yields { a; b } on one line, which the formatter breaks where it is too long.
func inline(statements ...jen.Code) jen.Code {
	return jen.Custom(jen.Options{Open: "{ ", Close: " }", Separator: "; "}, statements...)
}

// ids are names as code.
func ids(names []string) []jen.Code {
	var code []jen.Code
	for _, n := range names {
		code = append(code, jen.Id(n))
	}
	return code
}
