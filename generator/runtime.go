package generator

// This file says what the runtime that outputs are written for can do. What it can't is refused when everything else about an annotation is
// right, and refused again by the runtime itself: nothing that was asked for is ever ignored.

// abilities are what the language has and a runtime may lack.
type abilities struct {
	final   bool // replays of final errors
	recover bool // takeover by recover
	tx      bool // transaction modes
	detach  bool // methods that outlive their callers
}

// present is what this version's runtime can do.
var present = abilities{}

// everything is what it will be able to do: outputs can be written and compiled for that already.
var everything = abilities{final: true, recover: true, tx: true, detach: true}

// lacks reports that the runtime can't do what stands at a place, and what to do instead.
func (r *reader) lacks(s *source, at annotation, offset int, what, until string) {
	r.report.errorf(s.Dir, at.at(offset), codeLater, "%s is not supported yet: %s", what, until)
}
