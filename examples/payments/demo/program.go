package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// This file starts and ends the programs of a round.

// program is one that runs and serves.
type program struct {
	name string
	url  string
	log  string // file with what it logs
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

// start starts a program that is called name, waits for it to say where it listens, and kills it when ctx ends.
func (s stage) start(ctx context.Context, dir, name, file string, args ...string) (*program, error) {
	p := &program{name: name, log: filepath.Join(dir, name+".log"), done: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.cmd = exec.CommandContext(ctx, filepath.Join(s.programs, file), args...)
	p.cmd.Env = append(os.Environ(), "DATABASE_URL="+s.database)
	p.cmd.Stderr = log
	detach(p.cmd)
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, readErr := bufio.NewReader(out).ReadString('\n')
	go func() {
		_ = p.cmd.Wait() // how it ended is for stop to judge
		close(p.done)
	}()
	var ok bool
	if p.url, ok = strings.CutPrefix(strings.TrimSpace(line), "listening on "); !ok {
		p.kill()
		said, _ := os.ReadFile(p.log)
		return nil, fmt.Errorf("%s did not start (%v):\n%s", name, readErr, said)
	}
	return p, nil
}

// kill ends the program as kill -9 does, with no chance to finish anything.
func (p *program) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.done
}

// stop asks the program to finish and end, and waits. One that was killed has ended already.
func (p *program) stop() error {
	select {
	case <-p.done:
		return nil
	default:
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.done:
	case <-time.After(30 * time.Second):
		p.kill()
		return fmt.Errorf("server %s did not end", p.name)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		said, _ := os.ReadFile(p.log)
		return fmt.Errorf("server %s ended with exit status %d:\n%s", p.name, code, tail(string(said), 20))
	}
	return nil
}

// tail is the last n lines of s.
func tail(s string, n int) string {
	lines := strings.SplitAfter(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "")
}
