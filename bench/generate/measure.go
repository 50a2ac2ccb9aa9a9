package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// This file runs tools, and takes the time.

// job is one piece of work that several tools do.
type job struct {
	name   string
	dir    string
	ours   []command // idemgen, by what it remembers; each is judged
	others []command
	rival  string // the other one that the ratio is to; empty: the goal is in seconds
	memory int    // MB that must not be exceeded; 0: any number
	fresh  bool   // outputs are deleted before each run
	seldom bool   // it takes long, so one round is enough

	samples map[string][]sample
}

// sample is one run of a tool, with all processes that it started.
type sample struct {
	seconds, cpu float64
	mb           int // the largest of them
}

// by is what a sample counts by: seconds, or where others keep the machine busy, the processors' time.
type by func(sample) float64

func seconds(s sample) float64   { return s.seconds }
func processor(s sample) float64 { return s.cpu }

// command is a tool's command line.
type command struct {
	name   string
	tool   string
	args   []string
	env    []string
	goal   float64 // of ours: ratio, or seconds
	before func() error
}

// outputs are the files that the tools write.
var outputs = []string{"idem_gen.go", "moq_gen.go", "mocks_test.go", "generated.go"}

// do lets all tools do the work once, in another order each round. The first round is for warming up.
func (j *job) do(ctx context.Context, round int) error {
	if j.samples == nil {
		j.samples = map[string][]sample{}
	}
	if j.seldom && round > 1 {
		return nil
	}
	all := append(j.ours[:len(j.ours):len(j.ours)], j.others...)
	for i := range all {
		c := all[(i+round)%len(all)]
		if j.fresh {
			if err := clean(j.dir); err != nil {
				return err
			}
		}
		if c.before != nil {
			if err := c.before(); err != nil {
				return err
			}
		}
		one, err := run(ctx, j.dir, c)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", j.name, c.name, err)
		}
		if round == 0 {
			continue
		}
		j.samples[c.name] = append(j.samples[c.name], one)
	}
	return nil
}

// run runs a command line.
func run(ctx context.Context, dir string, c command) (s sample, err error) {
	cmd := exec.CommandContext(ctx, c.tool, c.args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "CI="), c.env...)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	started := time.Now()
	err = cmd.Run()
	s.seconds = time.Since(started).Seconds()
	if err != nil {
		return s, fmt.Errorf("%w\n%s", err, said.String())
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.mb = int(usage.Maxrss) >> 10
		if runtime.GOOS == "darwin" {
			s.mb >>= 10
		}
	}
	s.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return s, nil
}

// clean deletes what the tools have written.
func clean(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && slices.Contains(outputs, d.Name()) {
			err = os.Remove(path)
		}
		return err
	})
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	if len(list) == 0 {
		return 0
	}
	return (list[len(list)/2] + list[(len(list)-1)/2]) / 2
}

// middle is the median of what the samples of a tool count.
func (j *job) middle(tool string, count by) float64 {
	var list []float64
	for _, s := range j.samples[tool] {
		list = append(list, count(s))
	}
	return median(list)
}

// ratio is the median of the ratios of each round, because the machine's mood changes between rounds.
func (j *job) ratio(ours, other string, count by) float64 {
	var list []float64
	for i, s := range j.samples[other] {
		list = append(list, count(j.samples[ours][i])/count(s))
	}
	return median(list)
}

// header is the table's.
const header = "| work | remembered | idemgen s | cpu s | MB | others s (cpu s) | ratio (of cpu) | goal | |\n|---|---|---|---|---|---|---|---|---|"

// lines are the job's rows of the table, where the goals are for what count counts, and how many of them are missed.
func (j *job) lines(count by) (rows []string, missed int) {
	var others []string
	for _, o := range j.others {
		others = append(others, fmt.Sprintf("%s %.3f (%.3f)", o.name, j.middle(o.name, seconds), j.middle(o.name, processor)))
	}
	for _, c := range j.ours {
		value, ratio, goal := j.middle(c.name, count), "", fmt.Sprintf("%.3g s", c.goal)
		if j.rival != "" {
			value = j.ratio(c.name, j.rival, count)
			ratio = fmt.Sprintf("%.2f (%.2f)", j.ratio(c.name, j.rival, seconds), j.ratio(c.name, j.rival, processor))
			goal = fmt.Sprintf("%.2f × %s", c.goal, j.rival)
		}
		peak := 0
		for _, s := range j.samples[c.name] {
			peak = max(peak, s.mb)
		}
		verdict := "pass"
		if value > c.goal || j.memory > 0 && peak > j.memory {
			verdict = "FAIL"
			missed++
		}
		if j.memory > 0 {
			goal += fmt.Sprintf(", %d MB", j.memory)
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %.3f | %.3f | %d | %s | %s | %s | %s |",
			j.name, c.name, j.middle(c.name, seconds), j.middle(c.name, processor), peak, strings.Join(others, ", "), ratio, goal, verdict))
	}
	return rows, missed
}
