//go:build unix

package processes

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// This file keeps the worker processes: starts them, hears them, replaces those that were killed, and lets them finish. A
// worker that ends for another reason fails the test.

// fleet is all the workers.
type fleet struct {
	testing.TB
	pool   *pgxpool.Pool // the test's own, not the workers'
	orders orders        // of the next worker

	mu       sync.Mutex
	members  [workers]*member
	started  int
	calm     bool
	counts   map[string]int // by what was said or done
	stopped  int            // how many are, on purpose, now
	meetings map[question]*meeting
	killed   map[string]point // workers that were killed, and where in a run

	work        sync.WaitGroup // goroutines of the fleet
	stopKeeping context.CancelFunc
}

// member is one worker process.
type member struct {
	name  string
	slot  int
	cmd   *exec.Cmd
	in    io.WriteCloser
	log   string
	holds int           // how many want it stopped now
	ended chan struct{} // closed when the process has ended and what it said was heard
	err   error         // how; read after ended

	writing sync.Mutex
}

// start starts a worker in a slot. The lock is held.
func (f *fleet) start(slot int) {
	f.started++
	o := f.orders
	o.Name = fmt.Sprintf("w%d.%d", slot, f.started)
	text, err1 := json.Marshal(o)
	self, err2 := os.Executable()
	err := errors.Join(err1, err2)
	m := &member{name: o.Name, slot: slot, log: filepath.Join(o.Folder, o.Name+".log"), ended: make(chan struct{})}
	var log *os.File
	if err == nil {
		log, err = os.Create(m.log)
	}
	if err != nil {
		f.Errorf("starting a worker: %v", err)
		return
	}
	defer log.Close()
	m.cmd = exec.Command(self)
	m.cmd.Env = append(os.Environ(), workerEnv+"="+string(text))
	m.cmd.Stderr = log
	// in a group of its own: should the test die, the kernel ends the group, stopped or not
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err1 := m.cmd.StdinPipe()
	out, err2 := m.cmd.StdoutPipe()
	if err := errors.Join(err1, err2, m.cmd.Start()); err != nil {
		f.Errorf("starting a worker: %v", err)
		return
	}
	m.in = in
	f.members[slot] = m
	f.work.Go(func() { f.hear(m, out) })
}

// hear listens to a worker until it has ended, and replaces it if it was killed.
func (f *fleet) hear(m *member, out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var n notice
		if err := json.Unmarshal(lines.Bytes(), &n); err != nil {
			f.Errorf("worker %s said %q", m.name, lines.Bytes()) // a kill breaks off no line: a pipe takes small ones whole
			continue
		}
		f.heed(m, n)
	}
	m.err = m.cmd.Wait()
	close(m.ended)
	f.mu.Lock()
	defer f.mu.Unlock()
	_, killed := f.killed[m.name]
	switch {
	case killed && f.calm:
		f.members[m.slot] = nil
	case killed:
		f.start(m.slot)
	case !f.calm || m.err != nil:
		said, _ := os.ReadFile(m.log)
		f.Errorf("worker %s ended: %v\n%s", m.name, m.err, said)
	}
}

// heed does what a notice asks for.
func (f *fleet) heed(m *member, n notice) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch n.What {
	case string(kill):
		f.killed[m.name] = n.At
	case string(stall):
		f.counts[stops]++
		m.holds++
		mt := f.meet(question{finishing, n.Key})
		f.work.Go(func() { f.stall(m, n, mt) })
	case string(revive):
		f.counts[stops]++
		m.holds++
		mt := f.meet(question{taking, n.Key})
		f.work.Go(func() { f.revive(m, n, mt) })
	case taking, finishing:
		f.meetings[question{n.What, n.Key}].ask(m, n.ID)
	case took:
		f.meetings[question{taking, n.Key}].tried(n.ID)
	case wrote:
		if f.meetings[question{finishing, n.Key}].written() {
			f.counts[lateStep+n.Step]++
		}
	default:
		f.counts[n.What]++
	}
}

// tell sends a command to a worker, if it is still there.
func (m *member) tell(c command) {
	line, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	m.writing.Lock()
	defer m.writing.Unlock()
	_, _ = m.in.Write(append(line, '\n'))
}

// tellAll sends a command to all workers, those that start later included.
func (f *fleet) tellAll(c command) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.Generations != nil {
		f.orders.Generations = *c.Generations
	}
	f.calm = f.calm || c.Calm
	for _, m := range f.members {
		if m != nil {
			m.tell(c)
		}
	}
}

// finish lets the workers finish, and fails the test where one does not.
func (f *fleet) finish() {
	f.tellAll(command{Calm: true})
	f.mu.Lock()
	members := f.members
	f.mu.Unlock()
	for _, m := range members {
		if m != nil {
			_ = m.in.Close()
		}
	}
	for _, m := range members {
		if m == nil {
			continue
		}
		select {
		case <-m.ended:
		case <-time.After(finishWithin):
			_ = m.cmd.Process.Signal(syscall.SIGQUIT) // so that it says where it hangs
			f.Errorf("worker %s did not finish", m.name)
		}
	}
	f.stopKeeping()
	f.work.Wait()
}

const finishWithin = time.Minute

// end ends what a test that failed on its way may have left.
func (f *fleet) end() {
	f.mu.Lock()
	f.calm = true
	for _, m := range f.members {
		if m != nil && !isClosed(m.ended) {
			f.killed[m.name] = anywhere
			_ = m.cmd.Process.Kill()
		}
	}
	f.mu.Unlock()
	f.stopKeeping()
	f.work.Wait()
}
