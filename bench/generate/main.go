// Command generate measures the generator against others of its kind: the same work, in turn, several times in one run, so that ratios hold
// where seconds do not. It prints a table, and fails when a goal is missed.
//
// The first run installs the other tools and downloads what the fixtures need. Nothing of that enters this module.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	rounds := flag.Int("rounds", 7, "how often each tool does each piece of work")
	only := flag.String("only", "", "do only the work whose name holds this")
	cpu := flag.Bool("cpu", false, "judge by the processors' time, for a machine that has other work to do")
	folder := flag.String("dir", ".tmp/bench", "where tools and fixtures go; they are used again")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := filepath.Abs(*folder)
	if err != nil {
		fail(err)
	}
	tools, err := install(ctx, filepath.Join(dir, "bin"))
	if err != nil {
		fail(err)
	}
	jobs, err := prepare(ctx, filepath.Join(dir, "fixtures"), tools)
	if err != nil {
		fail(err)
	}
	var chosen []*job
	for _, j := range jobs {
		if strings.Contains(j.name, *only) {
			chosen = append(chosen, j)
		}
	}
	for round := range *rounds + 1 {
		for _, j := range chosen {
			if err := j.do(ctx, round); err != nil {
				fail(err)
			}
		}
		fmt.Fprintf(os.Stderr, "\rround %d of %d", round, *rounds)
	}
	fmt.Fprintln(os.Stderr)
	missed, goals := 0, 0
	count := seconds
	if *cpu {
		count = processor
	}
	fmt.Println(header)
	for _, j := range chosen {
		rows, n := j.lines(count)
		fmt.Println(strings.Join(rows, "\n"))
		missed, goals = missed+n, goals+len(rows)
	}
	if missed > 0 {
		fail(fmt.Errorf("%d of %d goals were missed", missed, goals))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "bench/generate:", err)
	os.Exit(1)
}
