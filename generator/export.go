package generator

import (
	"bufio"
	"context"
	"fmt"
	"go/build"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// This file asks the go command for compiled packages: one process for all of them, which also says under which build context it
// would build. It compiles what is not in its cache yet.

// exported is a package as the go command has it.
type exported struct {
	name string
	file string // with its export data; empty: it does not build, or is unsafe
	deps []string
}

// listFormat prints a line for each package, and the build context with it.
const listFormat = "{{.ImportPath}}\t{{.Name}}\t{{.Export}}\t{{with .Error}}error{{end}}\t{{join .Deps \" \"}}" +
	"{{with context}}\t{{.GOOS}}\t{{.GOARCH}}\t{{.CgoEnabled}}\t{{.Compiler}}\t{{join .BuildTags \" \"}}\t{{join .ToolTags \" \"}}\t{{join .ReleaseTags \" \"}}{{end}}"

// fieldsOfList are those of listFormat.
const fieldsOfList = 12

// listing is what the go command has said in this run.
type listing struct {
	packages map[string]exported
	context  build.Context // of no use before the first answer
	asked    bool
}

// ask lists the packages that are not known yet.
func (l *listing) ask(ctx context.Context, q request, paths []string) error {
	paths = slices.DeleteFunc(paths, func(p string) bool { _, known := l.packages[p]; return known })
	if len(paths) == 0 && l.asked {
		return nil
	}
	args := append([]string{"list", "-e", "-export", "-x", "-buildvcs=false", "-pgo=off", "-f", listFormat}, buildFlags(q.options)...)
	args = append(append(args, "--"), paths...)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	list := exec.CommandContext(ctx, "go", args...)
	list.Dir = q.dir
	out, err := list.StdoutPipe()
	if err != nil {
		return err
	}
	if err := list.Start(); err != nil {
		return err
	}
	failed := l.read(out)
	if err := list.Wait(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return unsure{why: fmt.Sprintf("go list: %v", err)}
	}
	l.asked = true
	return failed
}

// read takes the lines of listFormat in.
func (l *listing) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	var failed error
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != fieldsOfList {
			failed = unsure{why: "go list printed something else"}
			continue
		}
		if f[3] != "" || f[2] == "" && f[0] != "unsafe" {
			failed = unsure{f[0], "it can't be imported, or does not build"}
		}
		l.packages[f[0]] = exported{name: f[1], file: f[2], deps: strings.Fields(f[4])}
		l.context = build.Context{
			GOOS: f[5], GOARCH: f[6], CgoEnabled: f[7] == "true", Compiler: f[8],
			BuildTags: strings.Fields(f[9]), ToolTags: strings.Fields(f[10]), ReleaseTags: strings.Fields(f[11]),
		}
	}
	if err := lines.Err(); err != nil {
		_, _ = io.Copy(io.Discard, r)
		return err
	}
	return failed
}

// guessContext is the build context that the go command will most likely have.
func guessContext(q request, env environ) build.Context {
	c := build.Default
	if v := env.get("GOOS"); v != "" {
		c.GOOS = v
	}
	if v := env.get("GOARCH"); v != "" {
		c.GOARCH = v
	}
	if v := env.get("CGO_ENABLED"); v != "" {
		c.CgoEnabled = v == "1"
	}
	c.BuildTags = env.tags(q.options)
	return c
}

// sameContext tells whether two contexts build the same files.
func sameContext(a, b build.Context) bool {
	return a.GOOS == b.GOOS && a.GOARCH == b.GOARCH && a.CgoEnabled == b.CgoEnabled && a.Compiler == b.Compiler &&
		slices.Equal(a.BuildTags, b.BuildTags) && slices.Equal(a.ToolTags, b.ToolTags) && slices.Equal(a.ReleaseTags, b.ReleaseTags)
}
