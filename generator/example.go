package generator

import (
	"embed"
	"strings"

	"golang.org/x/tools/txtar"
)

// This file reads the examples of the diagnostic codes: for each an input that brings the diagnostic about, what is said of it, and the
// input mended. They are the files examples/IDEMnnn.txtar, and are run like any other input by the command's tests.
//
// An archive's files below wrong/ are the input with the mistake, those below mended/ the one without, and those below both/ belong to
// either. The file "says" holds the diagnostics. The comment on top is the command line, where that is not "idemgen ./...".

//go:embed examples/*.txtar
var exampleFiles embed.FS

// Example shows one code at work.
type Example struct {
	Command string        // as typed in the folder that the files are in
	Wrong   []ExampleFile // the input with the mistake
	Mended  []ExampleFile // the same input without it
	Says    string        // what is said of the wrong one, a diagnostic a line
}

// ExampleFile is one file of an example, by its slash-separated path.
type ExampleFile struct{ Path, Text string }

// Example returns the example of the code; ok is false where it has none.
func (c Code) Example() (e Example, ok bool) {
	text, err := exampleFiles.ReadFile("examples/" + c.ID + ".txtar")
	if err != nil {
		return Example{}, false
	}
	a := txtar.Parse(text)
	e.Command = strings.TrimSpace(string(a.Comment))
	if e.Command == "" {
		e.Command = "idemgen ./..."
	}
	for _, f := range a.Files {
		folder, path, _ := strings.Cut(f.Name, "/")
		file := ExampleFile{path, string(f.Data)}
		switch folder {
		case "both":
			e.Wrong, e.Mended = append(e.Wrong, file), append(e.Mended, file)
		case "wrong":
			e.Wrong = append(e.Wrong, file)
		case "mended":
			e.Mended = append(e.Mended, file)
		case "says":
			e.Says = file.Text
		}
	}
	return e, true
}
