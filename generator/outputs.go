package generator

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// This file has all outputs of a run emitted (emit.go), several packages at a time, and keeps back those that can't be written: of packages
// with an error, and where a file of somebody else's is in the way.

// emit makes the texts of all outputs whose package has no error.
func (r *reader) emit(rep *report, o Options, f *found) ([]File, error) {
	// Names are invented on the way, and those of the file that every build has must not depend on what only some builds have.
	slices.SortFunc(r.made, func(a, b *made) int { return strings.Compare(a.rank(), b.rank()) })
	var files []File
	from := map[string]string{} // the folder of a file's source
	add := func(m *made, path string, text []byte) error {
		old, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			old = nil
		case err != nil:
			return err
		case !slices.Contains(f.outputs, path):
			rep.errorf(m.source.Dir, at(path), codeOutput, "the output would replace this file, which idemgen did not write; rename it")
			return nil
		case r.out == nil && forOther.Match(old):
			rep.errorf(m.source.Dir, m.Wrappers[0].Pos, codeOutput, "%s holds wrappers that -out was asked for, of interfaces of another package; "+
				"make those in another folder with -out, and delete it", relative(rep.dir, path))
			return nil
		case old == nil:
			old = []byte{}
		}
		from[path] = m.source.Dir
		files = append(files, File{Path: path, Content: text, Old: old})
		return nil
	}
	r.made = slices.DeleteFunc(r.made, func(m *made) bool { return rep.failed[m.source.Dir] })
	for _, m := range r.made {
		tests := roundTripPath(m.Path)
		m.Tests = tests != "" && (o.Tests || slices.Contains(f.outputs, tests))
	}
	for i, e := range emitAll(r.made) {
		m := r.made[i]
		for _, d := range e.wrong {
			d.File = relative(rep.dir, d.File)
			rep.found, rep.failed[m.source.Dir] = append(rep.found, d), true
		}
		if err := add(m, m.Path, e.text); err != nil {
			return nil, err
		}
		if m.RoundTrips == nil {
			continue
		}
		if err := add(m, roundTripPath(m.Path), m.RoundTrips); err != nil {
			return nil, err
		}
	}
	files = slices.DeleteFunc(files, func(file File) bool {
		return rep.failed[from[file.Path]] || r.out != nil && len(rep.failed) > 0 // with -out all go into one package
	})
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// emitted is the text of an output, or what can't be written of it.
type emitted struct {
	text  []byte
	wrong []Diagnostic
}

// emitAll emits the outputs of several packages at a time. Those of one package follow each other, because each keeps away from the names that
// the ones before it have invented.
func emitAll(outputs []*made) []emitted {
	var packages [][]int
	for i := range outputs {
		if i == 0 || outputs[i].PkgPath != outputs[i-1].PkgPath {
			packages = append(packages, nil)
		}
		packages[len(packages)-1] = append(packages[len(packages)-1], i)
	}
	all := make([]emitted, len(outputs))
	_ = abreast(len(packages), func(p int) error {
		for _, i := range packages[p] {
			all[i].text, all[i].wrong = emit(&outputs[i].output)
		}
		return nil
	})
	return all
}

// rank orders outputs: package by package, the file that is always built first, tests last.
func (m *made) rank() string {
	rank := "1"
	switch name := filepath.Base(m.Path); {
	case strings.HasSuffix(name, "_test.go"):
		rank = "2"
	case name == "idem_gen.go":
		rank = "0"
	}
	return m.PkgPath + "\x00" + rank + m.Path
}
