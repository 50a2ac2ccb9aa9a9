package generator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"
)

// This file turns patterns into folders. Those of the file system are matched here, by the rules of the go command, because that
// is much faster; all others are the go command's.

// match lists the folders that the patterns name.
func match(ctx context.Context, dir string, o Options) ([]string, error) {
	var folders, paths []string
	patterns := o.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	for _, p := range patterns {
		if !isFolderPattern(p) {
			paths = append(paths, p)
			continue
		}
		matched, err := matchFolders(dir, p)
		if err != nil {
			return nil, err
		}
		folders = append(folders, matched...)
	}
	if len(paths) == 0 {
		return folders, nil
	}
	listed, err := listFolders(ctx, dir, o, paths)
	return append(folders, listed...), err
}

// isFolderPattern tells whether a pattern is one of the file system.
func isFolderPattern(p string) bool { return build.IsLocalImport(p) || filepath.IsAbs(p) }

// matchFolders lists the folders with Go files that a pattern of the file system names, as the go command would.
func matchFolders(dir, pattern string) ([]string, error) {
	full := pattern
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, pattern)
	}
	if !strings.Contains(pattern, "...") {
		if info, err := os.Stat(full); err != nil {
			return nil, fmt.Errorf("there is no folder %s; name one that is there", pattern)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("%s is a file; name its folder", pattern)
		} else if !holdsGo(full) {
			return nil, fmt.Errorf("there are no Go files in %s; name the folder of a package", pattern)
		}
		return []string{full}, nil
	}
	root := full[:strings.LastIndexByte(full[:strings.Index(full, "...")], filepath.Separator)+1]
	matched, err := walk(root, wildcard(full))
	if err == nil && len(matched) == 0 {
		err = fmt.Errorf("%s matched no packages; name folders as in ./... or ./pay", pattern)
	}
	return matched, err
}

// wildcard matches the folders that an absolute pattern names.
func wildcard(full string) *regexp.Regexp {
	re := regexp.QuoteMeta(filepath.ToSlash(full))
	if rest, ok := strings.CutSuffix(re, `/\.\.\.`); ok {
		re = rest + `(/.*)?`
	}
	return regexp.MustCompile("^" + strings.ReplaceAll(re, `\.\.\.`, ".*") + "$")
}

// wildcards are the patterns of the file system that name more than one folder. They know a folder that is gone, too.
func wildcards(dir string, patterns []string) (list []func(folder string) bool) {
	for _, p := range patterns {
		if !strings.Contains(p, "...") || !build.IsLocalImport(p) && !filepath.IsAbs(p) {
			continue
		}
		if !filepath.IsAbs(p) {
			p = filepath.Join(dir, p)
		}
		re := wildcard(p)
		list = append(list, func(folder string) bool { return re.MatchString(filepath.ToSlash(folder)) })
	}
	return list
}

// wildcard tells whether a pattern would find packages in the folder, were there any.
func (f *found) wildcard(folder string) bool {
	return slices.ContainsFunc(f.wildcards, func(matches func(string) bool) bool { return matches(folder) })
}

// walk stops where the go command does: at other modules, vendor, testdata, _x, .x, and what go.mod says to ignore.
func walk(root string, match *regexp.Regexp) (matched []string, err error) {
	ignored := ignoredFolders(root)
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		top := path == root
		path = filepath.Clean(path)
		name := filepath.Base(path)
		switch {
		case top:
		case name == "vendor", name == "testdata", name[0] == '_', name[0] == '.', ignored(path):
			return fs.SkipDir
		default:
			if info, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && !info.IsDir() {
				return fs.SkipDir
			}
		}
		if match.MatchString(filepath.ToSlash(path)) && holdsGo(path) {
			matched = append(matched, path)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no folder %s; name one that is there", root)
	}
	return matched, err
}

// ignoredFolders reads the ignore lines of the go.mod above dir.
func ignoredFolders(dir string) func(path string) bool {
	dir = filepath.Clean(dir)
	mod, text := nearestModule(dir)
	none := func(string) bool { return false }
	if !bytes.Contains(text, []byte("ignore")) {
		return none
	}
	f, err := modfile.ParseLax("go.mod", text, nil)
	if err != nil {
		return none // the go command will say so
	}
	return func(path string) bool {
		rel := "/" + filepath.ToSlash(relative(mod, path)) + "/"
		for _, line := range f.Ignore {
			at, rooted := strings.CutPrefix(line.Path, "./")
			at = "/" + strings.Trim(at, "/") + "/"
			if strings.HasPrefix(rel, at) || !rooted && strings.Contains(rel, at) {
				return true
			}
		}
		return false
	}
}

// nearestModule is the folder of the go.mod that governs dir, and its text.
func nearestModule(dir string) (string, []byte) {
	for {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			return dir, text
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", nil
		}
		dir = up
	}
}

// listFolders asks the go command for the folders of import paths, wildcards over modules, and names such as all.
func listFolders(ctx context.Context, dir string, o Options, paths []string) ([]string, error) {
	listed, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, Mode: packages.NeedName | packages.NeedFiles, BuildFlags: buildFlags(o),
	}, paths...)
	if err != nil {
		return nil, err
	}
	if len(listed) == 0 {
		return nil, fmt.Errorf("%s matched no packages; name folders as in ./... or ./pay", strings.Join(paths, " "))
	}
	var folders []string
	for _, p := range listed {
		if p.Dir == "" {
			return nil, fmt.Errorf("%s: %s", p.ID, firstError(p))
		}
		folders = append(folders, p.Dir)
	}
	return folders, nil
}

func firstError(p *packages.Package) string {
	if len(p.Errors) == 0 {
		return "not found"
	}
	return p.Errors[0].Msg
}

func holdsGo(dir string) bool {
	names, _ := goFiles(dir)
	return len(names) > 0
}

// goFiles lists the names the go command would look at.
func goFiles(dir string) ([]string, error) {
	names, _, err := filesIn(dir)
	return names, err
}

// filesIn lists the names the go command would look at, and those of all other files.
func filesIn(dir string) (names, others []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		switch n := e.Name(); {
		case e.IsDir():
		case strings.HasSuffix(n, ".go") && n[0] != '_' && n[0] != '.':
			names = append(names, n)
		default:
			others = append(others, n)
		}
	}
	return names, others, err
}
