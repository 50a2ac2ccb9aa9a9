package main

import (
	"context"
	"os"
)

// This file is about what idemgen remembers when it runs: nothing; where the standard library is, as in the first run in a module; or what an earlier
// run on the same packages has left.

// ways make idemgen's command lines, each with its goal.
type ways struct{ tool, memory, renewed, learned string }

// waysOf lets idemgen run in a module of its own, to learn of the standard library.
func waysOf(ctx context.Context, at func(string) string, t tools) (ways, error) {
	w := ways{t.idemgen, at("cache"), at("cache-fresh"), at("cache-elsewhere")}
	dir := at("elsewhere")
	if err := writePackage(dir, true); err != nil {
		return w, err
	}
	if err := writeAll(dir, map[string]string{"go.mod": goMod}); err != nil {
		return w, err
	}
	if err := clean(dir); err != nil {
		return w, err
	}
	_, err := run(ctx, dir, command{tool: t.idemgen, args: []string{"."}, env: []string{"IDEMGEN_CACHE=" + w.learned}})
	return w, err
}

func (w ways) nothing(goal float64, pattern string) command {
	return command{name: "nothing", tool: w.tool, args: []string{"-cache=off", pattern}, goal: goal}
}

func (w ways) all(goal float64, pattern string) command {
	return command{name: "an earlier run", tool: w.tool, args: []string{pattern}, env: []string{"IDEMGEN_CACHE=" + w.memory}, goal: goal}
}

func (w ways) elsewhere(goal float64, pattern string) command {
	renew := func() error {
		if err := os.RemoveAll(w.renewed); err != nil {
			return err
		}
		return os.CopyFS(w.renewed, os.DirFS(w.learned))
	}
	return command{
		name: "another module's run", tool: w.tool, args: []string{pattern}, env: []string{"IDEMGEN_CACHE=" + w.renewed}, goal: goal, before: renew,
	}
}

// goList is the least that can be asked of the go command for these packages.
func goList(packages ...string) command {
	args := append([]string{"list", "-export", "-f", "{{.Export}}", "--"}, packages...)
	return command{name: "go list alone", tool: "go", args: args}
}
