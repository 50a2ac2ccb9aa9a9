// Package starter makes what "idemgen init" writes into a module: an annotated example with its test, and a migration that makes the
// table, in the form of the migration tool that the module uses. It never changes a file that is there, and writes all or nothing.
package starter

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Wish is what is asked for. Paths are taken from the working directory.
type Wish struct {
	Dir           string // working directory; empty: the process's
	Folder        string // where the example goes; empty: the working directory
	NoExample     bool
	Migrations    string // the migration tool, or "none"; empty: the one that the module uses
	MigrationsDir string // where its files are; empty: where they are now, or would be by default
	Now           time.Time
}

// File is one file to write.
type File struct {
	Path string // relative to Wish.Dir, unless the full name is shorter
	Text string
	Use  string // what is to be done with it, where that is not plain
	abs  string
}

// Plan is what init does.
type Plan struct {
	Files []File
	Notes []string // what is there already, and so is left as it is
	Next  string   // the commands to type next
}

// Make finds out what to write, and writes nothing.
func Make(w Wish) (*Plan, error) {
	dir, err := filepath.Abs(w.Dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("there is no folder %s; give -C one that is there", w.Dir)
	}
	folder := w.Folder
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(dir, folder)
	}
	m, err := moduleOf(folder)
	if err != nil {
		return nil, err
	}
	p := &Plan{}
	if !w.NoExample {
		if err := p.example(m, dir, folder); err != nil {
			return nil, err
		}
	}
	if err := p.migration(m, dir, w); err != nil {
		return nil, err
	}
	for i, f := range p.Files {
		if _, err := os.Lstat(f.abs); err == nil {
			return nil, fmt.Errorf("%s is there already; move it, or name another folder", relative(dir, f.abs))
		}
		p.Files[i].Path = relative(dir, f.abs)
	}
	p.Next = next(m, dir, folder, p, w.NoExample)
	return p, nil
}

// next is what to type to see the example work.
func next(m *module, dir, folder string, p *Plan, noExample bool) string {
	if noExample {
		return ""
	}
	pattern := "./" + filepath.ToSlash(relative(dir, folder))
	if folder == dir {
		pattern = "."
	}
	if rel, err := filepath.Rel(dir, folder); err != nil || rel == ".." || len(rel) > 2 && rel[:3] == ".."+string(filepath.Separator) {
		return "cd " + folder + " && go generate . && go test ."
	}
	text := "go generate " + pattern + " && go test " + pattern
	if !m.hasTool {
		text = "go get -tool " + toolPath + " && " + text
	}
	return text
}

// Write writes all files of the plan, or none. Files that have appeared meanwhile are not overwritten.
func (p *Plan) Write() (err error) {
	var made []string // files and folders, in the order they were made
	defer func() {
		if err == nil {
			return
		}
		for _, path := range slices.Backward(made) {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	for _, f := range p.Files {
		folders, err := makeFolders(filepath.Dir(f.abs))
		made = append(made, folders...)
		if err != nil {
			return fmt.Errorf("nothing was written: %w", err)
		}
		file, err := os.OpenFile(f.abs, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return fmt.Errorf("nothing was written: %w", err)
		}
		made = append(made, f.abs)
		_, err = file.WriteString(f.Text)
		if err = errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("nothing was written: %w", err)
		}
	}
	return nil
}

// makeFolders is os.MkdirAll that says which folders it made.
func makeFolders(dir string) (made []string, err error) {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil, nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if made, err = makeFolders(parent); err != nil {
			return made, err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return made, err
	}
	return append(made, dir), nil
}

// relative is path as seen from dir, where that is the shorter name.
func relative(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}
