package generator

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"go/build"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// This file asks the go command for compiled packages: one process for all of them, which also says under which build context it
// would build. It compiles what is not in its cache yet.

// exported is a package as the go command has it.
type exported struct {
	name string
	file string // with its export data; empty: it does not build, or is unsafe
	deps []string
	std  bool // of the standard library
}

// listFormat prints a line for each package.
const listFormat = "{{.ImportPath}}\t{{.Name}}\t{{.Export}}\t{{with .Error}}error{{end}}\t{{join .Deps \" \"}}\t{{.Standard}}" + contextFormat

// contextFormat adds the build context.
const contextFormat = "{{with context}}\t{{.GOOS}}\t{{.GOARCH}}\t{{.CgoEnabled}}\t{{.Compiler}}\t{{join .BuildTags \" \"}}\t{{join .ToolTags \" \"}}\t{{join .ReleaseTags \" \"}}{{end}}"

// listing is what the go command has said in this run.
type listing struct {
	packages map[string]exported
	sources  map[string]sourced // what askSources found
	context  build.Context      // of no use before the first answer
	asked    bool
}

// ask lists the packages that are not known yet. It gives up with notCompiled when many of them would have to be compiled first.
func (l *listing) ask(ctx context.Context, q request, paths []string) (asked bool, err error) {
	paths = slices.DeleteFunc(paths, func(p string) bool { _, known := l.packages[p]; return known })
	if len(paths) == 0 && l.asked {
		return false, nil
	}
	args := append([]string{"list", "-e", "-export", "-x", "-buildvcs=false", "-pgo=off", "-f", listFormat}, buildFlags(q.options)...)
	err = l.run(ctx, q, append(append(args, "--"), paths...), 6, func(f []string) error {
		l.packages[f[0]] = exported{name: f[1], file: f[2], deps: strings.Fields(f[4]), std: f[5] == "true"}
		if f[3] != "" || f[2] == "" && f[0] != "unsafe" {
			return unsure{f[0], "it can't be imported, or does not build"}
		}
		return nil
	})
	l.asked = err == nil
	return true, err
}

// notCompiled is the error of a listing that would take long.
type notCompiled struct{}

func (notCompiled) Error() string { return "much has to be compiled first" }

// manyCompiled is how many packages may be compiled for one answer. An edit makes a few necessary; an empty build cache, or another
// version of Go, all.
const manyCompiled = 12

// run starts the go command and takes its lines in, each of n fields and those of contextFormat.
func (l *listing) run(ctx context.Context, q request, args []string, n int, take func([]string) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	list := exec.CommandContext(ctx, "go", args...)
	list.Dir = q.dir
	list.Cancel = func() error { // an interrupt lets it remove what it has begun
		if err := list.Process.Signal(os.Interrupt); err != nil {
			return list.Process.Kill()
		}
		return nil
	}
	list.WaitDelay = 3 * time.Second
	list.Stderr = &compilations{limit: manyCompiled, exceeded: func() { cancel(notCompiled{}) }}
	out, err := list.StdoutPipe()
	if err != nil {
		return err
	}
	if err := list.Start(); err != nil {
		return err
	}
	taken := l.lines(out, n, take)
	if err := list.Wait(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return unsure{why: fmt.Sprintf("go list: %v", err)}
	}
	return taken
}

// lines reads what the go command prints.
func (l *listing) lines(r io.Reader, n int, take func([]string) error) (failed error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != n+7 {
			failed = unsure{why: "go list printed something else"}
			continue
		}
		if err := take(f); err != nil {
			failed = err
		}
		c := f[n:]
		l.context = build.Context{
			GOOS: c[0], GOARCH: c[1], CgoEnabled: c[2] == "true", Compiler: c[3],
			BuildTags: strings.Fields(c[4]), ToolTags: strings.Fields(c[5]), ReleaseTags: strings.Fields(c[6]),
		}
	}
	if err := lines.Err(); err != nil {
		_, _ = io.Copy(io.Discard, r)
		return unsure{why: err.Error()}
	}
	return failed
}

// compilations counts, in what the go command prints with -x, the packages that it begins to compile.
type compilations struct {
	limit    int
	exceeded func()
}

func (c *compilations) Write(text []byte) (int, error) {
	before := c.limit
	c.limit -= bytes.Count(text, []byte("mkdir -p $WORK"))
	if before >= 0 && c.limit < 0 {
		c.exceeded()
	}
	return len(text), nil
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
