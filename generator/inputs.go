package generator

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// This file lists what a lean load depends on besides the folders that were scanned. Modules in the module cache are what go.sum says, so
// they need no mention.

// inputs are files and folders, whether they are there or not.
func (r *leanRun) inputs() []string {
	list := append(r.workspace.surroundings(), r.workspace.modulesText()...)
	list = append(list, r.looked...)
	for _, u := range r.units {
		list = append(list, u.dir)
	}
	for _, u := range r.sources {
		if !u.distant {
			list = append(list, u.dir)
		}
	}
	for path := range r.listing.sources {
		list = append(list, r.placesOf(path)...)
	}
	for path := range r.listing.packages {
		list = append(list, r.placesOf(path)...)
		for _, dep := range r.listing.packages[path].deps {
			list = append(list, r.placesOf(dep)...)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(path string) bool { return slices.Contains(r.found.folders, path) }) // they are in the scan's digest
}

// surroundings are the files that say what the modules are.
func (w *workspace) surroundings() []string {
	list := slices.Clone(w.files)
	if file := w.env.location(); file != "" {
		list = append(list, file)
	}
	return list
}

// modulesText are the files that list what is vendored.
func (w *workspace) modulesText() (list []string) {
	for _, vendor := range w.vendors {
		list = append(list, filepath.Join(vendor, "modules.txt"))
	}
	return list
}

// placesOf are the folders that a package from elsewhere can be in without go.sum standing for it: a module that is worked on or replaced, or
// a folder with vendored packages.
func (r *leanRun) placesOf(importPath string) (folders []string) {
	in := func(root, module string) {
		if within(importPath, module) {
			folders = append(folders, filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(importPath[len(module):], "/"))))
		}
	}
	for _, m := range r.workspace.modules {
		in(m.root, m.path)
	}
	for module, folder := range r.workspace.replaced {
		in(folder, module)
	}
	if !isStd(importPath, "") {
		for _, vendor := range r.workspace.vendors {
			if info, err := os.Stat(vendor); err == nil && info.IsDir() {
				folders = append(folders, filepath.Join(vendor, filepath.FromSlash(importPath)))
			}
		}
	}
	return folders
}
