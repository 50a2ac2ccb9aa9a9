//go:build unix

package processes

import (
	"context"
	"syscall"
	"time"
)

// This file is what goes wrong by chance, wherever a process may be: it is killed, stopped, or cut off from the database.

const (
	mostStopped = workers / 2 // so that somebody is left to take over
	glance      = 10 * time.Millisecond
)

// letGo ends a reason to keep a worker stopped.
func (f *fleet) letGo(m *member) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m.holds--
	if m.holds == 0 {
		_ = m.cmd.Process.Signal(syscall.SIGCONT)
	}
}

// keepGoing continues, again and again, the workers that nobody wants stopped, until ctx ends. One that has said that it is
// about to stop may have been continued before it did.
func (f *fleet) keepGoing(ctx context.Context) {
	for ctx.Err() == nil {
		f.mu.Lock()
		for _, m := range f.members {
			if m != nil && m.holds == 0 {
				_ = m.cmd.Process.Signal(syscall.SIGCONT)
			}
		}
		f.mu.Unlock()
		time.Sleep(5 * glance)
	}
}

// await waits for c, and reports whether it came in time and to a worker that is alive.
func await(m *member, c <-chan struct{}, within time.Duration) bool {
	select {
	case <-c:
		return true
	case <-m.ended:
	case <-time.After(within):
	}
	return false
}

// until waits until the query says yes, and reports whether it did.
func (f *fleet) until(m *member, within time.Duration, query string, args ...any) (yes bool) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	for !yes && ctx.Err() == nil {
		if err := f.pool.QueryRow(ctx, query, args...).Scan(&yes); err != nil && ctx.Err() == nil {
			f.Errorf("asking the database: %v", err)
			return false
		}
		await(m, nil, glance)
		if isClosed(m.ended) {
			return false
		}
	}
	return yes
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// oneMoreStopped counts one more stopped worker, unless too few would be left.
func (f *fleet) oneMoreStopped() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calm || f.stopped >= mostStopped {
		return false
	}
	f.stopped++
	return true
}

func (f *fleet) oneLessStopped() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped--
}

func (f *fleet) note(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[what]++
}

// trouble makes trouble by chance until ctx ends.
func (f *fleet) trouble(ctx context.Context) {
	d := dice(f.orders.Seed, "trouble")
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(upTo(d, lease/3)):
		}
		f.mu.Lock()
		m := f.members[d.IntN(workers)]
		f.mu.Unlock()
		if m == nil || isClosed(m.ended) {
			continue
		}
		switch d.IntN(12) {
		case 0:
			f.kill(m)
		case 1:
			f.pause(m, lease/5+upTo(d, 2*lease))
		default:
			f.cutOff()
		}
	}
}

func (f *fleet) kill(m *member) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, already := f.killed[m.name]; already {
		return
	}
	f.killed[m.name] = anywhere
	_ = m.cmd.Process.Kill()
}

// pause stops a worker wherever it is, for d.
func (f *fleet) pause(m *member, d time.Duration) {
	if !f.oneMoreStopped() {
		return
	}
	f.note(stops)
	f.mu.Lock()
	m.holds++
	_ = m.cmd.Process.Signal(syscall.SIGSTOP)
	f.mu.Unlock()
	f.work.Go(func() {
		defer f.oneLessStopped()
		defer f.letGo(m)
		await(m, nil, d)
	})
}

// cutOff breaks one of the workers' connections; one that is at work, if there is such a one, so that answers are lost.
func (f *fleet) cutOff() {
	const anyOne = `SELECT count(pg_terminate_backend(pid)) FROM (
		SELECT pid FROM pg_stat_activity WHERE application_name = 'worker' ORDER BY state = 'idle', random() LIMIT 1) one`
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var n int
	if err := f.pool.QueryRow(ctx, anyOne).Scan(&n); err == nil && n > 0 {
		f.note(cuts)
	}
}
