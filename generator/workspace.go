package generator

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// This file finds out what the go command would take for the modules that are worked on, so that lean.go can name a folder's package and
// find one without asking. Whatever is unusual here makes it unsure, and is left to the go command.

// workspace is what surrounds the working directory.
type workspace struct {
	modules  []workModule
	others   []string          // paths of the modules that they require
	replaced map[string]string // module paths, and the folders that stand in for them
	files    []string          // the files that say so, whether they are there or not; also those that only the go command reads
	vendors  []string          // folders with vendored packages
	env      environ

	toolchains []string // what is said of the version of Go
}

// workModule is a module whose packages can be generated for.
type workModule struct{ root, path, goVersion string }

// versionWithoutGoLine is the version of the language where go.mod names none.
const versionWithoutGoLine = "1.16"

func readWorkspace(dir string) (*workspace, error) {
	w := &workspace{env: readEnviron(), replaced: map[string]string{}}
	if err := w.env.plain(); err != nil {
		return nil, err
	}
	roots, err := w.roots(dir)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		if err := w.add(root); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// roots are the folders of the modules: those of go.work, or else the one around dir.
func (w *workspace) roots(dir string) (roots []string, err error) {
	file := w.env.get("GOWORK")
	if file == "" {
		file = upwards(dir, "go.work")
	}
	if file == "off" || file == "" {
		mod := upwards(dir, "go.mod")
		if mod == "" {
			return nil, unsure{dir, "no module"}
		}
		return []string{filepath.Dir(mod)}, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, unsure{file, err.Error()}
	}
	work, err := modfile.ParseWork(file, text, nil)
	if err != nil {
		return nil, unsure{file, err.Error()}
	}
	w.asksFor(work.Go, work.Toolchain)
	at := filepath.Dir(file)
	w.files = append(w.files, file, file+".sum")
	w.vendors = append(w.vendors, filepath.Join(at, "vendor"))
	for _, use := range work.Use {
		roots = append(roots, from(at, use.Path))
	}
	w.replace(at, work.Replace)
	return roots, nil
}

// add reads the go.mod of a module that is worked on.
func (w *workspace) add(root string) error {
	file := filepath.Join(root, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		return unsure{file, err.Error()}
	}
	mod, err := modfile.Parse(file, text, nil)
	if err != nil || mod.Module == nil {
		return unsure{file, "it can't be read"}
	}
	if mod.Module.Mod.Path == "std" || mod.Module.Mod.Path == "cmd" {
		return unsure{file, "Go's own source"}
	}
	m := workModule{root: root, path: mod.Module.Mod.Path, goVersion: versionWithoutGoLine}
	if mod.Go != nil {
		m.goVersion = mod.Go.Version
	}
	w.asksFor(mod.Go, mod.Toolchain)
	for _, r := range mod.Require {
		w.others = append(w.others, r.Mod.Path)
	}
	w.replace(root, mod.Replace)
	w.modules = append(w.modules, m)
	w.files = append(w.files, file, filepath.Join(root, "go.sum"))
	w.vendors = append(w.vendors, filepath.Join(root, "vendor"))
	return nil
}

// asksFor notes what a file says of the version of Go. It may make the go command start another.
func (w *workspace) asksFor(language *modfile.Go, toolchain *modfile.Toolchain) {
	if language != nil {
		w.toolchains = append(w.toolchains, "go "+language.Version)
	}
	if toolchain != nil {
		w.toolchains = append(w.toolchains, "toolchain "+toolchain.Name)
	}
}

// replace notes which modules stand in folders.
func (w *workspace) replace(at string, list []*modfile.Replace) {
	for _, r := range list {
		w.others = append(w.others, r.Old.Path)
		if modfile.IsDirectoryPath(r.New.Path) {
			folder := from(at, r.New.Path)
			w.replaced[r.Old.Path] = folder
			w.files = append(w.files, filepath.Join(folder, "go.mod"))
		}
	}
}

// from is a path as a file in the folder at means it.
func from(at, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(at, filepath.FromSlash(path))
}

// upwards finds a file in dir or the nearest folder above it.
func upwards(dir, name string) string {
	for {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return file
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// named is the module and the import path of the package in folder.
func (w *workspace) named(folder string) (m workModule, importPath string, err error) {
	mod := upwards(folder, "go.mod")
	i := slices.IndexFunc(w.modules, func(m workModule) bool { return filepath.Join(m.root, "go.mod") == mod })
	if i < 0 {
		return m, "", unsure{folder, "it is in no module that is worked on"}
	}
	m = w.modules[i]
	rel, err := filepath.Rel(m.root, folder)
	if err != nil {
		return m, "", unsure{folder, err.Error()}
	}
	importPath = path.Join(m.path, filepath.ToSlash(rel))
	if err := module.CheckImportPath(importPath); err != nil {
		return m, "", unsure{folder, err.Error()}
	}
	for at, part := m.root, ""; rel != "." && rel != ""; {
		part, rel, _ = strings.Cut(rel, string(filepath.Separator))
		at = filepath.Join(at, part)
		if info, err := os.Lstat(at); part == "vendor" || err != nil || !info.IsDir() {
			return m, "", unsure{folder, at + " is a link, or holds vendored packages"}
		}
	}
	return m, importPath, nil
}

// find is the folder of a package of the modules that are worked on. It says no of a path that could also be another module's.
func (w *workspace) find(importPath string) (folder string, ok bool) {
	at := -1
	for i, m := range w.modules {
		if within(importPath, m.path) && (at < 0 || len(m.path) > len(w.modules[at].path)) {
			at = i
		}
	}
	if at < 0 {
		return "", false
	}
	m := w.modules[at]
	for _, other := range w.others {
		if len(other) > len(m.path) && within(importPath, other) {
			return "", false
		}
	}
	folder = filepath.Join(m.root, filepath.FromSlash(strings.TrimPrefix(importPath[len(m.path):], "/")))
	in, named, err := w.named(folder)
	return folder, err == nil && named == importPath && in == m
}

// within tells whether an import path is that of a package in a module.
func within(importPath, module string) bool {
	rest, ok := strings.CutPrefix(importPath, module)
	return ok && (rest == "" || rest[0] == '/')
}

// environ is what the go command takes for its environment.
type environ struct{ file map[string]string }

// readEnviron reads the file in which go env -w keeps what it was told.
func readEnviron() environ {
	e := environ{file: map[string]string{}}
	if name := e.location(); name != "" {
		text, _ := os.ReadFile(name)
		for line := range bytes.Lines(text) {
			if key, value, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), "="); ok {
				e.file[key] = value
			}
		}
	}
	return e
}

// location is the name of that file; empty: there is none.
func (environ) location() string {
	switch name := os.Getenv("GOENV"); name {
	case "":
		dir, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		return filepath.Join(dir, "go", "env")
	case "off":
		return ""
	default:
		return name
	}
}

func (e environ) get(name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return e.file[name]
}

// plainFlags are the flags in GOFLAGS that don't change what lean.go finds out by itself.
var plainFlags = strings.Fields("mod tags trimpath v p buildvcs modcacherw count timeout ldflags gcflags asmflags pgo json vet")

// plain is an error where the environment changes more than lean.go knows of.
func (e environ) plain() error {
	if e.get("GO111MODULE") == "off" {
		return unsure{why: "GO111MODULE=off"}
	}
	if driver := os.Getenv("GOPACKAGESDRIVER"); driver != "" && driver != "off" {
		return unsure{why: "GOPACKAGESDRIVER"}
	} else if driver == "" {
		if _, err := exec.LookPath("gopackagesdriver"); err == nil {
			return unsure{why: "gopackagesdriver"}
		}
	}
	flags := e.get("GOFLAGS")
	if strings.ContainsAny(flags, `'"`) {
		return unsure{why: "quotes in GOFLAGS"}
	}
	for _, f := range strings.Fields(flags) {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if !slices.Contains(plainFlags, name) {
			return unsure{why: "GOFLAGS=" + f}
		}
	}
	return nil
}

// tags are the build tags: the options', or else those of GOFLAGS.
func (e environ) tags(o Options) []string {
	list := o.Tags
	if list == "" {
		for _, f := range strings.Fields(e.get("GOFLAGS")) {
			if value, ok := strings.CutPrefix("-"+strings.TrimLeft(f, "-"), "-tags="); ok {
				list = value
			}
		}
	}
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
