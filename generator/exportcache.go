package generator

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/build"
	"os"
)

// This file remembers where the go command keeps the export data of packages, so that it need not be asked again. What is kept there is
// named by its content; which content belongs to a package follows from go.mod, go.sum, the program that compiles and its environment. Only
// packages for which that is so are remembered: none whose source, or whose dependencies' source, lies where people edit it.

// exportsRecord is what the go command said.
type exportsRecord struct {
	Context  contextRecord
	Packages map[string]exportRecord
}

type exportRecord struct {
	Name, File string
	Deps       []string
}

type contextRecord struct {
	GOOS, GOARCH, Compiler           string
	CgoEnabled                       bool
	BuildTags, ToolTags, ReleaseTags []string
}

// exportsName names the record for a workspace, or is empty when nothing can be remembered.
func (q request) exportsName(w *workspace) string {
	if q.options.Cache == "" {
		return ""
	}
	env, ok := environmentDigest(q.dir)
	if !ok {
		return ""
	}
	h := sha256.New()
	for _, part := range []string{recordVersion, "exports", env, fmt.Sprintf("%q", buildFlags(q.options)), os.Getenv("PATH")} {
		writePart(h, part)
	}
	for _, name := range append(w.surroundings(), w.modulesText()...) {
		sum, _ := inputDigest(name)
		writePart(h, name)
		writePart(h, sum)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// recallExports takes what is remembered into the listing, as far as it is still there.
func (r *leanRun) recallExports(name string) {
	var kept exportsRecord
	if name == "" || r.listing.asked || !cacheFolder(r.options.Cache).read(name, &kept) {
		return
	}
	for path, e := range kept.Packages {
		r.listing.packages[path] = exported{name: e.Name, file: e.File, deps: e.Deps}
	}
	c := kept.Context
	r.listing.context = build.Context{
		GOOS: c.GOOS, GOARCH: c.GOARCH, Compiler: c.Compiler, CgoEnabled: c.CgoEnabled,
		BuildTags: c.BuildTags, ToolTags: c.ToolTags, ReleaseTags: c.ReleaseTags,
	}
	for _, path := range r.needed() {
		e, known := r.listing.packages[path]
		if !known || path == "unsafe" {
			continue
		}
		if _, err := os.Stat(e.file); err != nil { // the go command tidies up from time to time
			delete(r.listing.packages, path)
		}
	}
	r.listing.asked = true
}

// keepExports remembers what the go command has said.
func (r *leanRun) keepExports(name string) {
	if name == "" {
		return
	}
	c := r.listing.context
	kept := exportsRecord{Packages: map[string]exportRecord{}, Context: contextRecord{
		GOOS: c.GOOS, GOARCH: c.GOARCH, Compiler: c.Compiler, CgoEnabled: c.CgoEnabled,
		BuildTags: c.BuildTags, ToolTags: c.ToolTags, ReleaseTags: c.ReleaseTags,
	}}
	for path, e := range r.listing.packages {
		if !r.mutable(path) && !anyOf(e.deps, r.mutable) {
			kept.Packages[path] = exportRecord{e.name, e.file, e.deps}
		}
	}
	cacheFolder(r.options.Cache).write(name, kept)
}

// mutable tells whether a package may lie where people edit it.
func (r *leanRun) mutable(path string) bool { return len(r.placesOf(path)) > 0 }

func anyOf(list []string, f func(string) bool) bool {
	for _, s := range list {
		if f(s) {
			return true
		}
	}
	return false
}
