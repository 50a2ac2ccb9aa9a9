package main

import (
	"encoding/json"
	"io"

	"github.com/idemgen/idemgen/generator"
)

// This file prints what a run found, for programs. docs/json.md promises the form.

// jsonVersion is the version of the form. Kinds and fields may be added to one version; none is taken away or means something else.
const jsonVersion = 1

// message is one line. What a kind does not have is left out.
type message struct {
	Version  int    `json:"version"`
	Kind     string `json:"kind"` // diagnostic, note, file or failure
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Col      int    `json:"col,omitempty"`
	Severity string `json:"severity,omitempty"` // of a diagnostic
	Code     string `json:"code,omitempty"`     // of a diagnostic
	State    string `json:"state,omitempty"`    // of a file
	Text     string `json:"text,omitempty"`
}

// reportJSON prints a run, or the failure that ended it.
func reportJSON(w wish, r *generator.Result, failure error, stdout io.Writer) error {
	lines := json.NewEncoder(stdout)
	lines.SetEscapeHTML(false)
	say := func(m message) {
		m.Version = jsonVersion
		_ = lines.Encode(m) // strings and numbers; and who closes standard output hears no more
	}
	if failure != nil {
		say(message{Kind: "failure", Text: failure.Error()})
		return errFailed
	}
	for _, d := range r.Diagnostics {
		say(message{
			Kind: "diagnostic", File: d.File, Line: d.Line, Col: d.Col,
			Severity: string(d.Severity), Code: d.Code, Text: d.Text,
		})
	}
	for _, n := range r.Notes {
		say(message{Kind: "note", Text: n})
	}
	for _, f := range r.Files {
		switch {
		case !f.Changed():
			say(message{Kind: "file", File: f.Path, State: "current"})
		case w.options.Write:
			say(message{Kind: "file", File: f.Path, State: "written"})
		default:
			say(message{Kind: "file", File: f.Path, State: "outdated"})
		}
	}
	return verdict(w, r)
}
