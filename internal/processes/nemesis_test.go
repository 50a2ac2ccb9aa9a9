//go:build unix

package processes

import (
	"context"
	"math/rand/v2"
	"syscall"
	"time"
)

// This file is what goes wrong from outside: stopped processes are let go at the worst moment, and others are killed, stopped
// and cut off by chance.

const (
	mostStopped = workers / 2 // so that somebody is left to take over
	takeWithin  = 8 * lease   // until the claim of a stopped process is taken over, on a slow day
	glance      = 10 * time.Millisecond
)

// stall keeps a stopped worker stopped until its claim is another's, and continues it.
func (f *fleet) stall(m *member, n notice) {
	defer m.tell(command{Go: n.ID})
	defer f.letGo(m)
	if !f.oneMoreStopped() {
		return
	}
	defer f.oneLessStopped()
	f.until(m, takeWithin, `SELECT NOT EXISTS (SELECT FROM idem_claims WHERE key = $1 AND fence = $2 AND state = 1)`, n.Key, n.Fence)
}

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

// revival is an owner who comes back past its lease, when others are about to take its claim over. The nil revival has
// nobody to come back.
type revival struct {
	askers []asker       // those who may not take over yet
	open   bool          // they may
	asked  chan struct{} // closed when somebody wants to
	tried  chan struct{} // closed when somebody has tried
}

type asker struct {
	m  *member
	id string
}

// ask is the question whether to take over. The fleet's lock is held here and in report.
func (r *revival) ask(m *member, id string) {
	if r == nil || r.open {
		m.tell(command{Go: id})
		return
	}
	r.askers = append(r.askers, asker{m, id})
	if len(r.askers) == 1 {
		close(r.asked)
	}
}

// report is the news that a take-over was tried.
func (r *revival) report(id string) {
	if r == nil || !r.open {
		return
	}
	for _, a := range r.askers {
		if a.id == id {
			r.askers = nil
			close(r.tried)
			return
		}
	}
}

// revive keeps a stopped worker stopped until somebody has found its lease over and wants to take over; brings it back, so that
// its lease is renewed; and only then lets the others try. Its run goes on when one has.
func (f *fleet) revive(m *member, n notice, r *revival) {
	defer m.tell(command{Go: n.ID})
	defer f.letAllTry(r, n.Key)
	mayStop := f.oneMoreStopped()
	if mayStop {
		defer f.oneLessStopped()
		mayStop = await(m, r.asked, takeWithin)
	}
	f.letGo(m)
	if !mayStop {
		return
	}
	alive := f.until(m, lease, `SELECT EXISTS (SELECT FROM idem_claims WHERE key = $1 AND fence = $2 AND state = 1 AND lease_until > clock_timestamp())`, n.Key, n.Fence)
	f.mu.Lock()
	r.letTry()
	f.mu.Unlock()
	if alive && await(m, r.tried, patience) {
		f.note("late take-over")
	}
}

// letTry answers all who have asked and will ask.
func (r *revival) letTry() {
	if r.open {
		return
	}
	r.open = true
	for _, a := range r.askers {
		a.m.tell(command{Go: a.id})
	}
}

func (f *fleet) letAllTry(r *revival, key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r.letTry()
	if f.revived[key] == r {
		delete(f.revived, key)
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
		if await(m, nil, glance); isClosed(m.ended) {
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
		case <-time.After(lease/4 + rand.N(lease)):
		}
		f.mu.Lock()
		m := f.members[d.IntN(workers)]
		f.mu.Unlock()
		if m == nil || isClosed(m.ended) {
			continue
		}
		switch d.IntN(4) {
		case 0:
			f.kill(m)
		case 1:
			f.pause(m, lease/5+rand.N(2*lease))
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
	f.counts["kill by chance"]++
	_ = m.cmd.Process.Kill()
}

// pause stops a worker wherever it is, for d.
func (f *fleet) pause(m *member, d time.Duration) {
	if !f.oneMoreStopped() {
		return
	}
	f.note("stop by chance")
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

// cutOff breaks one of the workers' connections.
func (f *fleet) cutOff() {
	const anyOne = `SELECT count(pg_terminate_backend(pid)) FROM (
		SELECT pid FROM pg_stat_activity WHERE application_name = 'worker' ORDER BY random() LIMIT 1) one`
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var n int
	if err := f.pool.QueryRow(ctx, anyOne).Scan(&n); err == nil && n > 0 {
		f.note("connection cut")
	}
}
