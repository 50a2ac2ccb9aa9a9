package generator

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/build"
	"os"
	"strings"
)

// This file remembers where the go command keeps the export data of packages, so that it need not be asked again. What is kept there is
// named by its content; which content belongs to a package follows from go.mod, go.sum, the program that compiles and its environment. Only
// packages for which that is so are remembered: none whose source, or whose dependencies' source, lies where people edit it.
//
// Which content belongs to a package of the standard library does not depend on the modules around, but for the version of Go that they ask for.
// So those are remembered for all modules, and the first run in a new one may have them.

// exportsRecord is what the go command said.
type exportsRecord struct {
	Context  contextRecord
	Packages map[string]exportRecord
}

type exportRecord struct {
	Name, File string
	Deps       []string
	Std        bool
}

type contextRecord struct {
	GOOS, GOARCH, Compiler           string
	CgoEnabled                       bool
	BuildTags, ToolTags, ReleaseTags []string
}

// exportsNames are the names of two records: of a workspace, and of the standard library. They are empty when nothing can be remembered.
func (q request) exportsNames(w *workspace) (ours, std string) {
	if q.options.Cache == "" {
		return "", ""
	}
	env, ok := environmentDigest(q.dir)
	if !ok {
		return "", ""
	}
	name := func(what string, parts, files []string) string {
		h := sha256.New()
		for _, part := range append([]string{recordVersion, what, env, fmt.Sprintf("%q", buildFlags(q.options)), os.Getenv("PATH")}, parts...) {
			writePart(h, part)
		}
		for _, file := range files {
			sum, _ := inputDigest(file)
			writePart(h, file)
			writePart(h, sum)
		}
		return hex.EncodeToString(h.Sum(nil))
	}
	var settings []string
	if file := w.env.location(); file != "" {
		settings = append(settings, file)
	}
	ours = name("exports", nil, append(w.surroundings(), w.modulesText()...))
	if w.vendored() {
		return ours, "" // the go command first compares what is vendored with go.mod
	}
	return ours, name("standard library", w.toolchains, settings)
}

// vendored tells whether packages of other modules may have to come from vendor folders.
func (w *workspace) vendored() bool {
	return strings.Contains(w.env.get("GOFLAGS"), "mod=vendor") || anyOf(w.modulesText(), func(file string) bool {
		_, err := os.Stat(file)
		return err == nil
	})
}

// recallExports takes what is remembered into the listing, as far as it is still there.
func (r *leanRun) recallExports(names ...string) {
	if r.listing.asked {
		return
	}
	for _, name := range names {
		var kept exportsRecord
		if name == "" || !cacheFolder(r.options.Cache).read(name, &kept) {
			continue
		}
		for path, e := range kept.Packages {
			r.listing.packages[path] = exported{name: e.Name, file: e.File, deps: e.Deps, std: e.Std}
		}
		c := kept.Context
		r.listing.context = build.Context{
			GOOS: c.GOOS, GOARCH: c.GOARCH, Compiler: c.Compiler, CgoEnabled: c.CgoEnabled,
			BuildTags: c.BuildTags, ToolTags: c.ToolTags, ReleaseTags: c.ReleaseTags,
		}
		r.listing.asked = true
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
}

// keepExports remembers what the go command has said.
func (r *leanRun) keepExports(ours, std string) {
	if ours == "" {
		return
	}
	c := r.listing.context
	kept := exportsRecord{Packages: map[string]exportRecord{}, Context: contextRecord{
		GOOS: c.GOOS, GOARCH: c.GOARCH, Compiler: c.Compiler, CgoEnabled: c.CgoEnabled,
		BuildTags: c.BuildTags, ToolTags: c.ToolTags, ReleaseTags: c.ReleaseTags,
	}}
	library := exportsRecord{Packages: map[string]exportRecord{}, Context: kept.Context}
	for path, e := range r.listing.packages {
		if !r.mutable(path) && !anyOf(e.deps, r.mutable) {
			kept.Packages[path] = exportRecord{e.name, e.file, e.deps, e.std}
			if e.std {
				library.Packages[path] = kept.Packages[path]
			}
		}
	}
	cacheFolder(r.options.Cache).write(ours, kept)
	if std != "" && len(library.Packages) > 0 {
		cacheFolder(r.options.Cache).write(std, library)
	}
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
