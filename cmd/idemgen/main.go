// Command idemgen writes idempotent wrappers for annotated Go interfaces. See -h.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/idemgen/idemgen/generator"
)

// The exit codes.
const (
	exitDone  = 0 // done, warnings included
	exitFail  = 1 // there are errors, or files are out of date
	exitUsage = 2
)

func main() {
	// An interrupt ends the run between two steps, never in the middle of writing files.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, argv []string, stdout, stderr io.Writer) int {
	c, err := parse(argv)
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "idemgen: %v\nusage: idemgen [flags] [packages]; idemgen -h says more\n", err)
		return exitUsage
	case c.help:
		fmt.Fprint(stdout, usage)
		return exitDone
	case c.version:
		fmt.Fprintln(stdout, version())
		return exitDone
	case c.explain != "":
		return explain(c.explain, stdout, stderr)
	}
	result, err := generator.Run(ctx, c.options)
	if err != nil {
		fmt.Fprintf(stderr, "idemgen: %v\n", err)
		return exitFail
	}
	return report(c, result, stdout, stderr)
}
