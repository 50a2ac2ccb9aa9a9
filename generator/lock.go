package generator

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/lock"
)

// This file is about idem.lock, one for each module: which there are, which of its entries a run can speak for, and how it is written
// again. What the entries say is in lockentry.go, what may change about them in lockchange.go.
//
// A run speaks for the packages its patterns name, and for packages that are gone from where a wildcard of them would find them. Of those
// it keeps the operations of interfaces that this build leaves out. Everything else stays as it is: another run's, another build's.

// lockFile is one idem.lock.
type lockFile struct {
	root string // the module's folder
	path string
	old  []byte     // nil: there is none
	was  *lock.File // what it says; empty without a file
	is   lock.File  // what this run has found
	at   map[*lock.Operation]*locked

	accepted []acceptance
}

// acceptance is a change that -accept lets through.
type acceptance struct {
	made *made // nil: what it was made for is gone
	text string
}

// locked is an operation of this run.
type locked struct {
	made    *made
	wrapper *wrapper
	method  *method
}

// lockPaths are the files idem.lock that a run reads and may write: one for each module that has a package of the run.
func lockPaths(f *found) []string {
	var paths []string
	for _, folder := range f.matched {
		if r := f.moduleOf(folder); r != "" {
			paths = append(paths, filepath.Join(r, lock.Name))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// locks reads the lock files, compares them with what was read of the packages, and reports what stored rows would not survive. It also
// tells methods which older shapes they read.
func (r *reader) locks(rep *report, o Options, f *found) ([]*lockFile, error) {
	var all []*lockFile
	for _, path := range lockPaths(f) {
		l := &lockFile{root: filepath.Dir(path), path: path, was: &lock.File{}, at: map[*lock.Operation]*locked{}}
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		l.old = text
		if err == nil {
			was, wrong := lock.Parse(text)
			if wrong != nil {
				rep.errorf(l.root, token.Position{Filename: path, Line: wrong.Line, Column: wrong.Col}, codeLock, "%s", wrong.Text)
				r.fail(rep, l, f)
				continue
			}
			l.was = was
		}
		for _, m := range r.made {
			if strings.HasSuffix(m.Path, "_test.go") || rep.failed[m.source.Dir] {
				continue
			}
			if folder, _ := f.spelling(m.source.Dir); f.moduleOf(folder) == l.root {
				l.enter(m, folder)
			}
		}
		l.describe()
		c := &lockChange{reader: r, rep: rep, o: o, found: f, lockFile: l}
		c.judge()
		all = append(all, l)
	}
	return all, nil
}

// fail keeps everything of a module from being written whose lock file can't be read.
func (r *reader) fail(rep *report, l *lockFile, f *found) {
	for _, m := range r.made {
		if folder, _ := f.spelling(m.source.Dir); f.moduleOf(folder) == l.root {
			rep.failed[m.source.Dir] = true
		}
	}
}

// moduleOf is the folder of the module that a folder is in; empty: it is in none. It asks the file system once for each folder.
func (f *found) moduleOf(folder string) string {
	known, ok := f.modules[folder]
	if ok {
		return known
	}
	if info, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil && !info.IsDir() {
		known = folder
	} else if up := filepath.Dir(folder); up != folder {
		known = f.moduleOf(up)
	}
	f.modules[folder] = known
	return known
}

// within is how the file names a folder.
func (l *lockFile) within(folder string) string {
	rel, err := filepath.Rel(l.root, folder)
	if err != nil || rel == "." {
		return "."
	}
	return "./" + filepath.ToSlash(rel)
}

// folder is the folder that the file names so.
func (l *lockFile) folder(name string) string {
	return filepath.Join(l.root, filepath.FromSlash(name))
}

// speaksFor tells whether the run knows all there is to know of the interface in the named folder.
func (r *reader) speaksFor(rep *report, l *lockFile, f *found, name, iface string) bool {
	folder := l.folder(name)
	if _, matched := slices.BinarySearch(f.matched, folder); !matched {
		gone := !holdsGo(folder) || f.moduleOf(folder) != l.root
		return gone && f.wildcard(folder)
	}
	return !rep.failed[r.nameOfFolder(folder)] && !r.leftOut(f, folder, iface)
}

// nameOfFolder is how diagnostics count the folder.
func (r *reader) nameOfFolder(folder string) string {
	if r.program != nil {
		if i := slices.IndexFunc(r.sources, func(s *source) bool { return s.Dir == folder }); i >= 0 {
			return folder
		}
		if i := slices.IndexFunc(r.sources, func(s *source) bool { return sameFolder(s.Dir, folder) }); i >= 0 {
			return r.sources[i].Dir
		}
	}
	return folder
}

// leftOut tells whether a file that this build leaves out declares the interface.
func (r *reader) leftOut(f *found, folder, iface string) bool {
	for _, path := range f.annotated {
		if filepath.Dir(path) != folder || r.program != nil && r.files[path] != nil {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil || declares(tree, iface) {
			return true // one that does not parse may declare anything
		}
	}
	return false
}

func declares(tree *ast.File, name string) bool {
	for _, d := range tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, s := range g.Specs {
				if s.(*ast.TypeSpec).Name.Name == name {
					return true
				}
			}
		}
	}
	return false
}

// lockFiles are the lock files as they should be: what the run has found, and the rest as it was. Packages that failed keep their entries,
// and so do operations that are gone, until that is accepted.
func (r *reader) lockFiles(rep *report, o Options, locks []*lockFile, f *found) []File {
	var files []File
	for _, l := range locks {
		next := &lock.File{}
		for _, op := range l.is.Operations {
			if r.written(rep, l.at[op].made) {
				next.Operations = append(next.Operations, op)
			}
		}
		for _, i := range l.is.Interfaces {
			if !rep.failed[r.nameOfFolder(l.folder(i.Folder))] {
				next.Interfaces = append(next.Interfaces, i)
			}
		}
		for _, op := range l.was.Operations {
			if next.Operation(op.Name) == nil && (!o.Accept || !r.speaksFor(rep, l, f, op.Folder, op.Interface())) {
				next.Operations = append(next.Operations, op)
			}
		}
		for _, i := range l.was.Interfaces {
			again := slices.ContainsFunc(next.Interfaces, func(j *lock.Interface) bool { return i.Folder == j.Folder && i.Name == j.Name })
			if !again && !r.speaksFor(rep, l, f, i.Folder, i.Name) {
				next.Interfaces = append(next.Interfaces, i)
			}
		}
		if l.old == nil && len(next.Operations)+len(next.Interfaces) == 0 {
			continue
		}
		for _, a := range l.accepted {
			switch {
			case a.made != nil && !r.written(rep, a.made): // other mistakes keep the file as it is
			case o.Write:
				rep.notef("accepted: %s", a.text)
			default:
				rep.notef("-accept would accept: %s", a.text)
			}
		}
		text := lock.Format(next)
		if bytes.Contains(l.old, []byte("\r\n")) {
			text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
		}
		files = append(files, File{Path: l.path, Content: text, Old: l.old})
	}
	return files
}

// written tells whether the output is among those that the run writes.
func (r *reader) written(rep *report, m *made) bool {
	if r.out != nil { // all go into one package
		return len(rep.failed) == 0
	}
	return !rep.failed[m.source.Dir]
}
