package generator

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// This file is the loader that can load everything, and that lean.go is measured by: it leaves all to the go command, in the cheapest
// mode that gives comments and signatures.

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax |
	packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedModule | packages.NeedForTest

type whole struct{}

func (whole) load(ctx context.Context, q request) (*loaded, error) {
	var patterns []string
	for _, folder := range q.folders {
		patterns = append(patterns, folderPattern(q.dir, folder))
	}
	for _, e := range q.more {
		patterns = append(patterns, "pattern="+e.path)
	}
	texts := texts{byPath: map[string][]byte{}}
	l := &loaded{fset: token.NewFileSet(), texts: texts.byPath}
	var err error
	l.packages, err = packages.Load(&packages.Config{
		Context: ctx, Dir: q.dir, Fset: l.fset, Mode: loadMode, Tests: true,
		BuildFlags: buildFlags(q.options), Overlay: leaveOut(q.found.outputs), ParseFile: texts.parse,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	if len(l.packages) == 0 {
		return nil, nothingFound(ctx, q.options, q.dir, patterns)
	}
	for _, p := range l.packages {
		if p.Dir == "" {
			return nil, fmt.Errorf("%s: %s", p.ID, firstError(p))
		}
	}
	return l, nil
}

// buildFlags are passed on to the go command. Trimmed paths would hide where embedded methods are declared.
func buildFlags(o Options) []string {
	flags := []string{"-trimpath=false"}
	if o.Tags != "" {
		flags = append(flags, "-tags="+o.Tags)
	}
	return flags
}

// folderPattern names a folder for the go command, whatever characters are in its name.
func folderPattern(dir, folder string) string {
	rel, err := filepath.Rel(dir, folder)
	if err != nil {
		return "pattern=" + folder
	}
	if rel = filepath.ToSlash(rel); rel != ".." && !strings.HasPrefix(rel, "../") {
		rel = "./" + rel
	}
	return "pattern=" + rel
}

// nothingFound asks the go command why it has no package, which it tells people and not programs.
func nothingFound(ctx context.Context, o Options, dir string, patterns []string) error {
	args := append([]string{"list"}, buildFlags(o)...)
	for _, p := range patterns {
		args = append(args, strings.TrimPrefix(p, "pattern="))
	}
	list := exec.CommandContext(ctx, "go", args...)
	list.Dir = dir
	var said strings.Builder
	list.Stderr = &said
	failure := list.Run()
	reason := strings.TrimSpace(said.String())
	if reason == "" && failure != nil {
		reason = failure.Error()
	}
	if reason == "" {
		return fmt.Errorf("the go command found no package; go build %s says why: mend that first", strings.Join(args[1+len(buildFlags(o)):], " "))
	}
	if strings.Contains(reason, "go.mod file not found") {
		return fmt.Errorf("%s is in no module; run idemgen in a module, or name the module's folder with -C", dir)
	}
	return fmt.Errorf("the go command found no package (%s); mend that first", reason)
}

// leaveOut replaces old output by files that no build includes: stale, missing or broken, it never matters.
func leaveOut(outputs []string) map[string][]byte {
	overlay := make(map[string][]byte, len(outputs))
	for _, path := range outputs {
		overlay[path] = []byte("//go:build ignore && !ignore\n\npackage ignored\n")
	}
	return overlay
}

// texts keeps what was parsed, because comments are read byte by byte.
type texts struct {
	mu     sync.Mutex
	byPath map[string][]byte
}

func (t *texts) parse(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
	if text == nil {
		var err error
		if text, err = os.ReadFile(name); err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	t.byPath[name] = text
	t.mu.Unlock()
	return parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
}
