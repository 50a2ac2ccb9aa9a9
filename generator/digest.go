package generator

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// This file makes digests of what an answer depends on, for remember.go.

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// writePart adds text with its length in front, so that parts can't run into each other.
func writePart(h hash.Hash, text string) {
	_, _ = io.WriteString(h, strconv.Itoa(len(text))+":"+text)
}

// environmentDigest stands for the program, the go command and the environment that both see. It says no where the go command is not the one of
// a Go tree: a script may start another one each time.
func environmentDigest(dir string) (string, bool) {
	h := sha256.New()
	self, err := os.Executable()
	if err != nil || !writeProgram(h, self) {
		return "", false
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		writePart(h, info.String())
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", false
	}
	if tool, err = filepath.EvalSymlinks(tool); err != nil || !writeProgram(h, tool) {
		return "", false
	}
	version, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(tool)), "VERSION"))
	if err != nil {
		return "", false
	}
	writePart(h, string(version))
	env := os.Environ()
	slices.Sort(env)
	for _, e := range env {
		if name, _, _ := strings.Cut(e, "="); decides(name) {
			writePart(h, e)
		}
	}
	writePart(h, upwards(dir, "go.work"))
	return hex.EncodeToString(h.Sum(nil)), true
}

// writeProgram adds what tells one program file from another.
func writeProgram(h hash.Hash, path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	writePart(h, path+" "+strconv.FormatInt(info.Size(), 10)+" "+info.ModTime().UTC().Format(time.RFC3339Nano))
	return true
}

// decides tells whether an environment variable can change what the go command does. Those that go generate sets only say where it was called.
func decides(name string) bool {
	switch name {
	case "GOFILE", "GOLINE", "GOPACKAGE":
		return false
	case "CC", "CXX", "FC", "AR", "PKG_CONFIG", "HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "USERPROFILE", "AppData", "LocalAppData":
		return true
	default:
		return strings.HasPrefix(name, "GO") || strings.HasPrefix(name, "CGO_")
	}
}

// digest stands for what the scan found, where the files in written have been written since.
func (f *found) digest(dir string, written []File) string {
	h := sha256.New()
	texts := map[string]string{}
	outputs := slices.Clone(f.outputs)
	for path, text := range f.texts {
		texts[path] = digest(text)
	}
	for _, w := range written {
		path := from(dir, w.Path)
		if filepath.Ext(path) != ".go" {
			continue // no file that the scan looks at
		}
		texts[path] = digest(w.Content)
		outputs = append(outputs, path)
	}
	slices.Sort(outputs)
	for _, list := range [][]string{f.folders, f.annotated, slices.Compact(outputs), f.others, f.matched} {
		writePart(h, strconv.Itoa(len(list)))
		for _, path := range list {
			writePart(h, path)
		}
	}
	for _, folder := range f.folders {
		writePart(h, upwards(folder, "go.mod"))
	}
	paths := make([]string, 0, len(texts))
	for path := range texts {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		writePart(h, path)
		writePart(h, texts[path])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// inputDigest stands for a file, or for a folder with the files that a build may read in it, and says when it was changed. What is not there
// has a digest, too.
func inputDigest(path string) (sum string, changed time.Time) {
	info, err := os.Stat(path)
	if err != nil {
		return "none", time.Time{}
	}
	if !info.IsDir() {
		text, err := os.ReadFile(path)
		if err != nil {
			return "unreadable", time.Now()
		}
		return digest(text), info.ModTime()
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return "unreadable", time.Now()
	}
	h := sha256.New()
	changed = info.ModTime()
	writePart(h, upwards(path, "go.mod"))
	for _, e := range entries {
		writePart(h, e.Name())
		if e.IsDir() || !built[filepath.Ext(e.Name())] {
			continue
		}
		file := filepath.Join(path, e.Name())
		if info, err := os.Stat(file); err == nil && info.ModTime().After(changed) {
			changed = info.ModTime()
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return "unreadable", time.Now()
		}
		writePart(h, digest(text))
	}
	return hex.EncodeToString(h.Sum(nil)), changed
}

// built are the kinds of files that go into a package.
var built = func() map[string]bool {
	m := map[string]bool{}
	for _, ext := range strings.Fields(".go .c .cc .cpp .cxx .m .h .hh .hpp .hxx .f .F .for .f90 .s .S .sx .swig .swigcxx .syso") {
		m[ext] = true
	}
	return m
}()
