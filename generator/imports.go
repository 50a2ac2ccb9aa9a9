package generator

import (
	"go/types"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/idemgen/idemgen/templates"
)

// This file names imports. A package keeps its own name where it can. Where two have one name, the standard library's (or the runtime's) keeps
// it, and the others put elements of their paths in front until they differ: billingmodel and storemodel rather than model and model2.

// nameImports gives each package a name that is not in avoid, by the paths alone: the same packages get the same names in
// every run.
func nameImports(packages map[string]*types.Package, home string, avoid names) []templates.Import {
	groups := map[string][]string{}
	for path, p := range packages {
		groups[p.Name()] = append(groups[p.Name()], path)
	}
	chosen := map[string]string{}
	var clashes []string
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		paths := groups[name]
		slices.Sort(paths)
		if owner := ownerOf(paths, home); owner != "" && !avoid[name] {
			chosen[owner] = avoid.pick(name)
		}
		if len(paths) > 1 || chosen[paths[0]] == "" {
			clashes = append(clashes, name)
		}
	}
	for _, name := range clashes {
		rest := slices.DeleteFunc(groups[name], func(path string) bool { return chosen[path] != "" })
		joinElements(rest, name, chosen, avoid)
	}
	var imports []templates.Import
	for _, path := range slices.Sorted(maps.Keys(chosen)) {
		imports = append(imports, templates.Import{
			Path: path, Name: chosen[path], Std: isStd(path, home),
			Alias: chosen[path] != path[strings.LastIndex(path, "/")+1:],
		})
	}
	return imports
}

// ownerOf is the one of several packages with one name that keeps it; empty: none does.
func ownerOf(paths []string, home string) string {
	if len(paths) == 1 {
		return paths[0]
	}
	if slices.Contains(paths, templates.RuntimePath) {
		return templates.RuntimePath
	}
	std := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !isStd(path, home) })
	if len(std) == 1 {
		return std[0]
	}
	return ""
}

// isStd is the rule that formatters go by: the first element of another module's path is a domain.
func isStd(path, home string) bool {
	first, _, _ := strings.Cut(path, "/")
	own, _, _ := strings.Cut(home, "/")
	return !strings.Contains(first, ".") && first != own
}

// joinElements names packages that share a name: all with the same number of elements in front, the smallest that tells them apart.
func joinElements(paths []string, name string, chosen map[string]string, avoid names) {
	for level := range 8 {
		level++
		free := names{}
		for _, path := range paths {
			if c := candidate(path, name, level); !avoid[c] {
				free[c] = true
			}
		}
		if len(free) < len(paths) {
			continue
		}
		for _, path := range paths {
			chosen[path] = avoid.pick(candidate(path, name, level))
		}
		return
	}
	for _, path := range paths {
		chosen[path] = avoid.pick(candidate(path, name, 1), "pkg"+name)
	}
}

// candidate is the name with its major version, and with elements of the path in front: those that are there, up to level in all.
func candidate(path, name string, level int) string {
	elements := strings.Split(path, "/")
	last := len(elements) - 1
	version := ""
	if isMajor(elements[last]) && elements[last] != name {
		version = elements[last]
		last--
	} else if _, v, ok := strings.Cut(elements[last], ".v"); ok && isMajor("v"+v) {
		version = "v" + v
	}
	if version != "" {
		level--
	}
	result := name + version
	for i := last - 1; i >= 0 && level > 0; i-- {
		result = letters(elements[i]) + result
		level--
	}
	if last == 0 && isStd(path, "") {
		result = "std" + result
	}
	return strings.TrimLeftFunc(result, unicode.IsDigit)
}

func isMajor(element string) bool {
	digits, ok := strings.CutPrefix(element, "v")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// letters is what of a path's element can stand in an identifier.
func letters(element string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, element)
}
