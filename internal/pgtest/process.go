package pgtest

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime/pprof"
	"syscall"
	"time"
)

// This file is about processes: one that runs, and a guard that ends a server nobody is left to stop.

// process is a started command that is waited for.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
	err  error         // how; read after done
}

func run(cmd *exec.Cmd) (*process, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	go func() {
		// A server may outlive the test that starts it: who tells a test's goroutines by their labels must not take this for one.
		pprof.SetGoroutineLabels(context.Background())
		p.err = cmd.Wait()
		if p.err == nil {
			p.err = errors.New("exit status 0")
		}
		close(p.done)
	}()
	return p, nil
}

// end signals the process and waits for it, and kills it when it takes too long.
func (p *process) end(sig os.Signal, within time.Duration) error {
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(within):
	}
	if err := p.cmd.Process.Signal(syscall.SIGQUIT); err != nil { // immediate shutdown: its children go with it
		return err
	}
	<-p.done
	return nil
}

// guardScript waits until the pipe on its standard input closes, which it does however our process ends, and then ends the server
// of the folder $1, if one is still there, and removes the folder.
const guardScript = `
cat >/dev/null
if pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null); then
	kill -QUIT "$pid" 2>/dev/null
	n=0
	while kill -0 "$pid" 2>/dev/null && [ $n -lt 100 ]; do sleep 0.1; n=$((n+1)); done
fi
cd / && rm -rf "$1"
`

// guard is the process that runs guardScript.
type guard struct {
	cmd  *exec.Cmd
	pipe io.Closer
}

func watch(dir string) (*guard, error) {
	cmd := exec.Command("/bin/sh", "-c", guardScript, "guard", dir)
	cmd.Dir = "/"
	detach(cmd)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return &guard{cmd, pipe}, cmd.Start()
}

// release lets the guard do its work and waits for it.
func (g *guard) release() {
	_ = g.pipe.Close()
	_ = g.cmd.Wait() // what it failed to remove, the caller finds
}
