package generator

import (
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/spelling"
)

// This file knows the language of annotations: which words there are, where they stand, and how a comment becomes one.
// It knows nothing of syntax trees; see attach.go.

// prefix starts an annotation.
const prefix = "//idem:"

// annotation is one line such as //idem:stale 5s.
type annotation struct {
	Word string
	Arg  string         // the rest of the line, without the blanks around it
	Pos  token.Position // of the comment; behind //idem:on METHOD, of the word
	gap  int            // bytes from Pos to Arg
	// Method is the one that an //idem:on is about, and About where its name stands; see on.go.
	Method string
	About  token.Position
}

// at is the place of byte i of the argument.
func (a annotation) at(i int) token.Position {
	p := a.Pos
	p.Column += a.gap + i
	p.Offset += a.gap + i
	return p
}

// text is the annotation as it was meant, for messages.
func (a annotation) text() string {
	if a.Method != "" {
		return "idem:on " + a.Method + " " + a.Word
	}
	return "idem:" + a.Word
}

// place is a set of the things an annotation may stand on.
type place uint8

const (
	onInterface place = 1 << iota
	onMethod
)

// argument tells whether a word wants one.
type argument uint8

const (
	noArgument argument = iota
	maybeArgument
	needsArgument
)

// subject is what an annotation is about: given twice in one doc comment it is an error. The lines of errors are about a class
// each, and those of upcast about a shape.
func (a annotation) subject() string {
	if words := fields(a.Arg); (a.Word == "errors" || a.Word == "upcast") && len(words) > 0 {
		return a.Word + " " + words[0].text
	}
	return a.Word
}

// word is one annotation of the language.
type word struct {
	name     string
	on       place
	argument argument
	wants    string // what its argument is, for messages
}

// words is the language, in the order of its documentation.
var words = []word{
	{name: "wrap", on: onInterface, argument: maybeArgument},
	{name: "key", on: onMethod, argument: needsArgument, wants: "an expression"},
	{name: "scope", on: onInterface | onMethod, argument: needsArgument, wants: "an expression, or none"},
	{name: "op", on: onMethod, argument: needsArgument, wants: "a name"},
	{name: "policy", on: onInterface | onMethod, argument: needsArgument, wants: "poll [MAXWAIT] or conflict"},
	{name: "stale", on: onInterface | onMethod, argument: needsArgument, wants: "a duration"},
	{name: "ttl", on: onInterface | onMethod, argument: needsArgument, wants: "a duration, or forever"},
	{name: "takeover", on: onInterface | onMethod, argument: needsArgument, wants: "rerun, recover METHOD or hold"},
	{name: "errors", on: onInterface | onMethod, argument: needsArgument, wants: "final, unknown or release, and names"},
	{name: "fingerprint", on: onMethod, argument: needsArgument, wants: "all, none, expressions, or except and parameters"},
	{name: "codec", on: onInterface | onMethod, argument: needsArgument, wants: "json, proto, or the name of a codec"},
	{name: "lossy", on: onMethod, argument: needsArgument, wants: "a reason"},
	{name: "tx", on: onMethod, argument: maybeArgument},
	{name: "detach", on: onMethod},
	{name: "upcast", on: onMethod, argument: needsArgument, wants: "the hash of an older shape and a function"},
	{name: "skip", on: onInterface | onMethod, argument: maybeArgument},
	{name: "on", on: onInterface, argument: needsArgument, wants: "a method and an annotation for it, as in `//idem:on METHOD key EXPR`"},
}

func lookup(name string) (word, bool) {
	i := slices.IndexFunc(words, func(w word) bool { return w.name == name })
	if i < 0 {
		return word{}, false
	}
	return words[i], true
}

// belongs says where w may stand.
func (w word) belongs() string {
	switch w.on {
	case onInterface:
		return "an interface declaration"
	case onMethod:
		return "an interface method"
	default:
		return "an interface declaration or an interface method"
	}
}

// parseAnnotation takes a line comment apart. It is an annotation when it starts like one, whatever its word.
func parseAnnotation(comment string, pos token.Position) (annotation, bool) {
	comment = strings.TrimRight(comment, "\r")
	rest, ok := strings.CutPrefix(comment, prefix)
	if !ok {
		return annotation{}, false
	}
	name, arg := rest, ""
	if i := strings.IndexAny(rest, " \t"); i >= 0 {
		name, arg = rest[:i], strings.TrimLeft(rest[i:], " \t")
	}
	return annotation{Word: name, Arg: strings.TrimRight(arg, " \t"), Pos: pos, gap: len(comment) - len(arg)}, true
}

// Near misses. What follows idem has to be a word of the language, or nearly, so that prose about idem is left alone. What can stand before
// a word, and how idem is written, is what scan looks for.
var (
	spacedOut = nearMiss(`^//[ \t]+[+@]?IDEMGEN:(WORD)`)    // a blank before idem:key
	decorated = nearMiss(`^//[/+@!#]+[ \t]*IDEMGEN:(WORD)`) // with a mark of another tool
	otherCase = nearMiss(`^//IDEM:(WORD)`)                  // as in Idem:key
	otherTool = nearMiss(`^//IDEMGEN:[ \t]*(WORD)`)         // the name of the command
	noColon   = nearMiss(`^//IDEM[ \t]*[:;.=_/-]?[ \t]*(WORD)(?:[ \t\r]|$)`)
	asProse   = nearMiss(`^//[ \t]+idem[ \t]+([a-z]+)(?:[ \t]+[^ \t]+)?[ \t\r]*$`) // what formatters make of a forgotten colon
	inBlock   = nearMiss(`^/\*[ \t\r\n*]*IDEMGEN:(WORD)`)
	blockLine = nearMiss(`(?m)^[ \t*]*(?://)?IDEMGEN:(WORD)`)
)

func nearMiss(form string) *regexp.Regexp {
	return regexp.MustCompile(strings.NewReplacer("IDEMGEN", "(?:idem|Idem|IDEM)(?:gen|Gen|GEN)?", "IDEM", "(?:idem|Idem|IDEM)", "WORD", "[a-zA-Z]+").Replace(form))
}

// lookalike tells which word a comment that is no annotation was meant to have, and what is wrong with it. inDoc says that it documents an
// interface or a method.
func lookalike(comment string, inDoc bool) (word, hint string, ok bool) {
	near := func(re *regexp.Regexp, exact bool) (string, bool) {
		m := re.FindStringSubmatch(comment)
		if m == nil {
			return "", false
		}
		if w, known := lookup(strings.ToLower(m[1])); known {
			return w.name, true
		}
		w, found := nearest(m[1], 1)
		return w, found && !exact && len(m[1]) > 2
	}
	for _, form := range []struct {
		re    *regexp.Regexp
		exact bool
		hint  string
	}{
		{spacedOut, false, "write `//idem:%s`, without a space after the slashes"},
		{decorated, false, "write `//idem:%s`"},
		{otherCase, false, "write `//idem:%s`, in small letters"},
		{otherTool, false, "write `//idem:%s`"},
		{noColon, true, "write `//idem:%s`, with a colon"},
		{inBlock, false, "write `//idem:%s` as a line comment"},
	} {
		if w, ok := near(form.re, form.exact); ok {
			return w, strings.Replace(form.hint, "%s", w, 1), true
		}
	}
	if !inDoc {
		return "", "", false
	}
	if w, ok := near(asProse, true); ok {
		return w, "write `//idem:" + w + "`, with a colon and without a space after the slashes", true
	}
	if w, ok := near(blockLine, true); ok && strings.HasPrefix(comment, "/*") {
		return w, "write `//idem:" + w + "` as a line comment", true
	}
	return "", "", false
}

// nearest is the word of the language that name is a misspelling of, by at most limit slips.
func nearest(name string, limit int) (string, bool) {
	name = strings.ToLower(name)
	if i := strings.IndexFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }); i > 0 {
		name = name[:i] // key(k), key: and policy=poll are about key and policy
	}
	best, slips := "", limit+1
	for _, w := range words {
		if d := spelling.Slips(name, w.name); d < slips && d < len(w.name) {
			best, slips = w.name, d
		}
	}
	return best, best != ""
}
