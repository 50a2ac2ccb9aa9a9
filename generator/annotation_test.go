package generator

import (
	"go/token"
	"slices"
	"strings"
	"testing"
)

func TestAnnotationIsWordAndRestOfLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		word, arg string
		column    int // of the argument, when the comment is in column 2
	}{
		"//idem:wrap":                    {"wrap", "", 13},
		"//idem:wrap\r":                  {"wrap", "", 13},
		"//idem:wrap Name":               {"wrap", "Name", 14},
		"//idem:key \t req.ID \t\r":      {"key", "req.ID", 15},
		"//idem:key\t\"\\\"\" + k":       {"key", `"\"" + k`, 13},
		"//idem:key `//idem:skip ` + k ": {"key", "`//idem:skip ` + k", 13},
		"//idem:":                        {"", "", 9},
		"//idem: key k":                  {"", "key k", 10},
		"//idem:key(k)":                  {"key(k)", "", 15},
		"//idem:key\u00a0k":              {"key\u00a0k", "", 15},
	} {
		n, ok := parseAnnotation(text, token.Position{Filename: "a.go", Line: 7, Column: 2})
		if !ok || n.Word != want.word || n.Arg != want.arg || n.at(0).Column != want.column {
			t.Errorf("parseAnnotation(%q) = %q, %q in column %d, %t; want %q, %q in column %d",
				text, n.Word, n.Arg, n.at(0).Column, ok, want.word, want.arg, want.column)
		}
	}
	for _, text := range []string{"// idem:key k", "//Idem:key k", "//idempotent:key k", "/*idem:key k*/", "//go:generate idemgen ."} {
		if n, ok := parseAnnotation(text, token.Position{}); ok {
			t.Errorf("parseAnnotation(%q) = %+v; it is no annotation", text, n)
		}
	}
}

func TestLookalikes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{ // the word that was meant
		"// idem:key k":                     "key",
		"//\tidem:wrap":                     "wrap",
		"//  idem:kye k":                    "key",
		"// +idem:key k":                    "key",
		"//+idem:key k":                     "key",
		"///idem:skip":                      "skip",
		"//Idem:key k":                      "key",
		"//IDEM:KEY k":                      "key",
		"// Idem:key k":                     "key",
		"//idemgen:wrap":                    "wrap",
		"// idemgen:wrap":                   "wrap",
		"//idem key k":                      "key",
		"//idem :key k":                     "key",
		"//idem.key k":                      "key",
		"//idem-wrap":                       "wrap",
		"/*idem:wrap*/":                     "wrap",
		"/* idem:key k */":                  "key",
		"/*\n * idem:key k\n */":            "key",
		"/* Put puts.\nidem:skip\n*/":       "", // only in the doc comment of an interface or method, see below
		"// see //idem:key":                 "",
		"// idem:potence is a word":         "",
		"// idem: the same as above":        "",
		"// Idem. The same.":                "",
		"//idempotent:wrap":                 "",
		"//\t//idem:wrap":                   "", // an example in a doc comment
		"// //idem:wrap":                    "", // one that is switched off
		"/*\n//idem:wrap\n*/":               "",
		"//idem.New(store)":                 "",
		"//idem":                            "",
		"//go:generate go tool idemgen .":   "",
		"// idempotency keys: see idem:key": "",
	} {
		_, hint, ok := lookalike(text, false)
		if ok != (want != "") || ok && !strings.Contains(hint, "`//idem:"+want+"`") {
			t.Errorf("lookalike(%q) = %q, %t; want a hint at %q", text, hint, ok, want)
		}
	}
	for _, text := range []string{"// idem wrap", "// idem key k", "// idem key is a word"} {
		_, _, outside := lookalike(text, false)
		if _, _, inDoc := lookalike(text, true); outside || inDoc != (text != "// idem key is a word") {
			t.Errorf("lookalike(%q) = %t in a doc comment, %t elsewhere", text, inDoc, outside)
		}
	}
	for _, text := range []string{"/* Put puts.\nidem:skip\n*/", "/* Put puts.\n\t//idem:skip\n*/"} {
		if _, _, ok := lookalike(text, true); !ok {
			t.Errorf("lookalike(%q) in a doc comment was not noticed", text)
		}
	}
}

// What the scan lets through is a filter for what the reader refuses or takes; it must never miss any of that.
func TestScanMissesNothingTheReaderSees(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"//idem:wrap", "//idem:", "// idem:key k", "//\tidem:wrap", "// +idem:key k", "//+idem:key k", "///idem:skip", "//Idem:key k", "//IDEM:KEY k",
		"//idemgen:wrap", "//idem key k", "//idem :key k", "//idem.key k", "//idem-wrap", "// idem wrap", "/*idem:wrap*/", "/* idem:key k */", "/*\n * idem:key k\n */",
		"/* Put puts.\nidem:skip\n*/", "/* Put puts.\n\t//idem:skip\n*/",
	} {
		if _, ok := parseAnnotation(text, token.Position{}); !ok {
			if _, _, ok = lookalike(text, true); !ok {
				t.Errorf("%q means nothing to the reader", text)
			}
		}
		if !mentionsAnnotation([]byte("package p\n\n" + text + "\ntype T int\n")) {
			t.Errorf("the scan misses %q", text)
		}
	}
	for _, text := range []string{
		"package p\n\nimport \"github.com/idemgen/idemgen/idem\"\n", "package p // idempotent\n", "package p\n\nvar s = idem.New()\n", "",
		"package p\n\nfunc f() {\n\tidem.New()\n}\n", "package p\n\n// idempotent: it is\n",
	} {
		if mentionsAnnotation([]byte(text)) {
			t.Errorf("the scan takes %q for annotated", text)
		}
	}
}

func TestNearestWord(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"kye": "key", "Key": "key", "warp": "wrap", "scop": "scope", "skipp": "skip", "policy=poll": "policy", "key:": "key", "key(k)": "key",
		"fingerprints": "fingerprint", "tll": "ttl", "banana": "", "k": "", "": "", "世界": "",
	} {
		if got, _ := nearest(name, 1+len(name)/5); got != want {
			t.Errorf("nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

// Everything that stands on interfaces is read as a default of their methods, so it has to be a method's word as well.
func TestWordsAreSound(t *testing.T) {
	t.Parallel()
	for i, w := range words {
		if w.on == 0 || slices.ContainsFunc(words[:i], func(o word) bool { return o.name == w.name }) {
			t.Errorf("%+v stands nowhere, or twice in the table", w)
		}
		if (w.argument == needsArgument) != (w.wants != "") {
			t.Errorf("%+v: what it wants is said if and only if it needs something", w)
		}
	}
}
