package generator

import (
	"go/format"
	"go/parser"
	"go/token"
	"strings"

	"github.com/idemgen/idemgen/templates"
)

// This file words the doc comments of the output: the source's text, with what the wrapper adds to it.

// wrapperDoc says what the wrapper is and names what it does not protect, so that a method that is added later shows in review.
func (e *emitter) wrapperDoc() []string {
	doc := []string{e.wrapper.Name + " is [" + e.interfaceName() + "] with each keyed method run at most once per key."}
	var forwarded []string
	for _, m := range e.wrapper.Methods {
		if !m.Keyed {
			forwarded = append(forwarded, m.Name)
		}
	}
	if len(forwarded) > 0 {
		doc = append(doc, filled("Forwarded as they are: "+strings.Join(forwarded, ", ")+".")...)
	}
	return paragraphs(doc, trimBlank(unindented(e.wrapper.Doc)))
}

// filled breaks a text that is too long for a line of a comment.
func filled(text string) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > 115 {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

func (e *emitter) ctorDoc(checks []templates.Check) []string {
	doc := e.wrapper.Ctor + " wraps next; eng keeps the claims."
	var results, errors, codecs bool
	for _, c := range checks {
		results = results || c.Result != nil
		errors = errors || c.Error != nil
		codecs = codecs || c.Result == nil && c.Error == nil
	}
	var when []string
	switch {
	case results && errors:
		when = append(when, "a result or an error can't be stored for these type arguments")
	case results:
		when = append(when, "a result can't be stored for these type arguments")
	case errors:
		when = append(when, "an error can't be stored for these type arguments")
	}
	if codecs {
		when = append(when, "a codec is nil")
	}
	if len(when) > 0 {
		doc += " It panics when " + strings.Join(when, ", or ") + "."
	}
	_, deprecation := splitDeprecation(e.wrapper.Doc)
	return paragraphs([]string{doc}, deprecation)
}

func (e *emitter) methodDoc(m *method) []string {
	text, deprecation := splitDeprecation(m.Doc)
	said := "is forwarded."
	if m.Keyed {
		said = "runs at most once per " + m.keyText() + "."
	}
	switch {
	case len(text) == 0:
		text = []string{m.Name + " " + said}
	case m.Keyed:
		text = paragraphs(text, []string{"Idempotent: it " + said})
	}
	if m.Keyed && m.contextKind() == contextConcrete {
		text = paragraphs(text, []string{"The method gets the caller's context as it is: its type can't carry the claim, so it is not cancelled when the lease is lost."})
	}
	return paragraphs(paragraphs(text, m.runText()), deprecation)
}

// runText says how a run differs from a plain call.
func (m *method) runText() (text []string) {
	switch m.Settings.Tx {
	case "own", "optimistic":
		text = append(text, "Effect and outcome commit in one transaction, which the method finds in its context.")
	case "join":
		text = append(text, "Claim, effect and outcome are in the caller's transaction.")
	}
	if m.Settings.Detach {
		text = append(text, "It goes on for a while when its caller gives up.")
	}
	return text
}

// keyText is the key for people, as the annotation says it.
func (m *method) keyText() string {
	text := "key of the context"
	if !m.KeyFromContext {
		var parts []string
		for _, k := range m.Keys {
			parts = append(parts, k.words())
		}
		text = strings.Join(parts, ", ")
	}
	if m.Scope != nil {
		text += " within " + m.Scope.words()
	}
	return text
}

// words is the expression with its blanks where the formatter puts them.
func (e *expr) words() string {
	var text strings.Builder
	root, err := parser.ParseExpr(e.Text)
	if err != nil || format.Node(&text, token.NewFileSet(), root) != nil || strings.Contains(text.String(), "\n") {
		return e.Text
	}
	return text.String()
}

// paragraphs puts an empty line between two texts.
func paragraphs(a, b []string) []string {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	default:
		return append(append(append([]string(nil), a...), ""), b...)
	}
}

// splitDeprecation cuts the paragraph off that marks something as deprecated: it has to stay one of its own.
func splitDeprecation(doc []string) (text, deprecation []string) {
	doc = unindented(doc)
	for i, line := range doc {
		if strings.HasPrefix(strings.TrimSpace(line), "Deprecated: ") && (i == 0 || strings.TrimSpace(doc[i-1]) == "") {
			end := i
			for end < len(doc) && strings.TrimSpace(doc[end]) != "" {
				end++
			}
			return paragraphs(trimBlank(doc[:i]), trimBlank(doc[end:])), doc[i:end]
		}
	}
	return trimBlank(doc), nil
}

// unindented takes the indentation away that all lines share, as that of a block comment.
func unindented(doc []string) []string {
	shared, first := "", true
	for _, line := range doc {
		if strings.TrimSpace(line) == "" {
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if first {
			shared, first = indent, false
		}
		for !strings.HasPrefix(indent, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	var out []string
	for _, line := range doc {
		out = append(out, strings.TrimRight(strings.TrimPrefix(line, shared), " \t"))
	}
	return out
}

// trimBlank drops empty lines at both ends.
func trimBlank(doc []string) []string {
	for len(doc) > 0 && strings.TrimSpace(doc[0]) == "" {
		doc = doc[1:]
	}
	for len(doc) > 0 && strings.TrimSpace(doc[len(doc)-1]) == "" {
		doc = doc[:len(doc)-1]
	}
	return doc
}
