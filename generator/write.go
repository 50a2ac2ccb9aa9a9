package generator

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// This file puts texts into files: all that changed or none, each by rename, so that nobody ever sees half of one.

// write writes the files that changed. All texts stand on the disk before the first file is replaced; when one can't be replaced, those before
// it get their old text back. A symbolic link stays one, and a file's mode stays what it is. Paths are as the process sees them.
func write(files []File) (err error) {
	files = slices.DeleteFunc(slices.Clone(files), func(f File) bool { return !f.Changed() })
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	pending := make([]replacement, len(files))
	defer func() {
		for _, r := range pending {
			if r.temp != "" && !r.done {
				_ = os.Remove(r.temp)
			}
		}
	}()
	if err := abreast(len(files), func(i int) (err error) {
		pending[i], err = prepare(files[i].Path, files[i].Content)
		pending[i].old = files[i].Old
		return err
	}); err != nil {
		return err
	}
	if err := abreast(len(files), func(i int) error { return pending[i].overtaken() }); err != nil {
		return err
	}
	if err := abreast(len(files), func(i int) error {
		err := os.Rename(pending[i].temp, pending[i].target)
		pending[i].done = err == nil
		return err
	}); err != nil {
		return errors.Join(err, restore(pending))
	}
	return nil
}

// replacement is a text that is about to become a file.
type replacement struct {
	temp, target string
	old          []byte // nil: there was no file
	done         bool   // it has become it
}

// overtaken tells whether somebody else wrote the file since the run has read it: what they wrote must not get lost.
func (r replacement) overtaken() error {
	now, err := os.ReadFile(r.target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, r.old) {
		return fmt.Errorf("%s was changed while this run went on; run idemgen again", r.target)
	}
	return nil
}

// prepare writes content beside the file it is for. The name of the temporary file is one that the go command does not look at.
func prepare(path string, content []byte) (r replacement, err error) {
	r.target = path
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if r.target, err = filepath.EvalSymlinks(path); err == nil {
			info, err = os.Stat(r.target)
		} else if errors.Is(err, fs.ErrNotExist) {
			r.target = path // it leads nowhere, and is replaced
		}
	}
	switch {
	case err == nil && !info.Mode().IsRegular():
		return r, fmt.Errorf("%s is not a regular file; move it", path)
	case errors.Is(err, fs.ErrNotExist):
		info = nil
		err = os.MkdirAll(filepath.Dir(path), 0o777)
	}
	if err != nil {
		return r, err
	}
	mode := fs.FileMode(0o666)
	r.temp = filepath.Join(filepath.Dir(r.target), ".idemgen-"+rand.Text())
	f, err := os.OpenFile(r.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return r, err
	}
	_, err = f.Write(content)
	if info != nil && err == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(r.temp)
	}
	return r, err
}

// restore takes those replacements back that are done.
func restore(pending []replacement) error {
	var errs []error
	for _, d := range pending {
		if !d.done {
			continue
		}
		if d.old == nil {
			errs = append(errs, os.Remove(d.target))
			continue
		}
		r, err := prepare(d.target, d.old)
		if err == nil {
			if err = os.Rename(r.temp, r.target); err != nil {
				_ = os.Remove(r.temp)
			}
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
