package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// This file gets the tools.

// peers are the others, each with the dependencies of its own release.
var peers = map[string]string{
	"moq":      "github.com/matryer/moq@v0.8.1",
	"mockery":  "github.com/vektra/mockery/v3@v3.9.1",
	"goverter": "github.com/jmattheis/goverter/cmd/goverter@v1.11.1",
}

// tools are the names of the programs.
type tools struct{ idemgen, moq, mockery, goverter string }

// install builds idemgen from the working directory's module, and the peers where they are not there yet.
func install(ctx context.Context, bin string) (tools, error) {
	t := tools{filepath.Join(bin, "idemgen"), filepath.Join(bin, "moq"), filepath.Join(bin, "mockery"), filepath.Join(bin, "goverter")}
	if err := goCommand(ctx, "", nil, "build", "-o", t.idemgen, "github.com/idemgen/idemgen/cmd/idemgen"); err != nil {
		return t, err
	}
	for name, path := range peers {
		if _, err := os.Stat(filepath.Join(bin, name)); err == nil {
			continue
		}
		fmt.Fprintln(os.Stderr, "installing", path)
		if err := goCommand(ctx, "", []string{"GOBIN=" + bin}, "install", path); err != nil {
			return t, err
		}
	}
	return t, nil
}

// goCommand runs the go command in a folder.
func goCommand(ctx context.Context, dir string, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("go %v: %w\n%s", args, err, out)
	}
	return nil
}
