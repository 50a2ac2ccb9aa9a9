package idem

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// This file looks at rows for those who wait for them. All waiters of an engine share its looks: one statement reads every row
// that is due, however many wait for it, and no connection is held in between. A waiter is only told that its row may say
// something else; what it says, the waiter finds out by claim-or-read.

// The pauses between two looks at a row: growing, with jitter, and never much longer than the lease that is left.
const (
	firstLook  = 10 * time.Millisecond // also the least time between two looks at whatever
	lastLook   = time.Second
	lookMargin = 5 * time.Millisecond
	lookErrors = 5 // failures in a row after which a row's waiters are told
)

// slowLook is how long a look may take before another is made beside it, for the rows that came to be due meanwhile.
const slowLook = time.Second

// maxLooks is how many looks there may be at once, so that a store that hangs does not cost every connection.
const maxLooks = 3

// poller looks at rows for as long as anybody waits.
type poller struct {
	store   Store
	timeout time.Duration // of one look

	mu      sync.Mutex
	watched map[ID]*watched
	loops   bool          // the goroutine is there
	wake    chan struct{} // something is due earlier than thought, or nothing is watched any more
	looks   int           // under way
	last    time.Time     // when the latest one began

	base    context.Context // ends when nobody will wait any more
	end     context.CancelFunc
	looking sync.WaitGroup
}

// watched is a row that is waited for. Its fields are guarded by the poller's mu.
type watched struct {
	waiters map[*waiter]struct{}
	pause   time.Duration // before the next look
	left    time.Duration // of the lease, as last seen
	next    time.Time     // when to look
	failed  int           // looks in a row
}

// waiter is one call that waits for the owner it has seen.
type waiter struct {
	owner Owner
	told  chan error // nil: look again
}

func newPoller(s Store, timeout time.Duration) *poller {
	p := &poller{store: s, timeout: timeout, watched: map[ID]*watched{}, wake: make(chan struct{}, 1)}
	p.base, p.end = context.WithCancel(context.Background())
	return p
}

// close ends looks that are still under way, when nobody waits any more and nobody will.
func (p *poller) close() {
	p.end()
	p.looking.Wait()
}

// wait waits until the row that was seen may have changed. It returns nil for "look again", else ctx's error or the store's.
func (p *poller) wait(ctx context.Context, seen Row) error {
	w := p.watch(seen)
	defer p.forget(seen.ID, w)
	select {
	case err := <-w.told:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// changed tells those who wait for a row in this process that it was changed in this process.
func (p *poller) changed(id ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.watched[id]; r != nil {
		r.tell(nil, func(*waiter) bool { return true })
	}
}

// watch begins to look at a row. One that comes later makes the looks at its row begin anew with short pauses.
func (p *poller) watch(seen Row) *waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.watched[seen.ID]
	if r == nil {
		r = &watched{waiters: map[*waiter]struct{}{}}
		p.watched[seen.ID] = r
	}
	w := &waiter{owner: seen.Owner, told: make(chan error, 1)}
	r.waiters[w] = struct{}{}
	r.pause, r.left = firstLook, seen.LeaseLeft
	r.schedule(time.Now())
	p.poke()
	if !p.loops {
		p.loops = true
		go p.loop()
	}
	return w
}

// forget ends a waiter's wait.
func (p *poller) forget(id ID, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.watched[id]
	if r == nil {
		return
	}
	delete(r.waiters, w)
	if len(r.waiters) == 0 {
		delete(p.watched, id)
		p.poke()
	}
}

// poke makes the loop look again at what is due.
func (p *poller) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// loop looks at what is due until nobody waits.
func (p *poller) loop() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		due, next, alive := p.due(time.Now())
		if !alive {
			return
		}
		if len(due) > 0 {
			go p.look(due) // counted in due
		}
		timer.Reset(time.Until(next))
		select {
		case <-timer.C:
		case <-p.wake:
		}
	}
}

// due takes the rows to look at now, and says when to ask again. Alive is false when the loop has ended.
func (p *poller) due(now time.Time) (due []ID, next time.Time, alive bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.watched) == 0 {
		p.loops = false
		return nil, now, false
	}
	if next = p.next(); now.Before(next) {
		return nil, next, true
	}
	next = now.Add(lastLook)
	for id, r := range p.watched {
		if !r.next.After(now.Add(r.pause / 4)) { // soon enough to travel with the others
			due = append(due, id)
			r.next = now.Add(p.timeout) // its answer says when to look again
		}
		if r.next.Before(next) {
			next = r.next
		}
	}
	if len(due) > 0 {
		p.looks++
		p.last = now
		p.looking.Add(1) // while somebody waits, so before close can
	}
	return due, next, true
}

// next is when the next look is due, and may begin.
func (p *poller) next() time.Time {
	free := p.last.Add(firstLook)
	switch {
	case p.looks >= maxLooks:
		free = p.last.Add(p.timeout)
	case p.looks > 0:
		free = p.last.Add(slowLook)
	}
	due := time.Now().Add(lastLook)
	for _, r := range p.watched {
		if r.next.Before(due) {
			due = r.next
		}
	}
	if due.Before(free) {
		return free
	}
	return due
}

// look reads rows and tells those whose wait is over.
func (p *poller) look(due []ID) {
	defer p.looking.Done()
	ctx, cancel := context.WithTimeout(p.base, p.timeout)
	rows, err := p.store.Read(ctx, due)
	cancel()
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looks--
	for i, id := range due {
		r := p.watched[id]
		switch {
		case r == nil: // nobody waits any more
		case err != nil:
			r.fail(err, now)
		default:
			r.see(rows[i], now)
		}
	}
	p.poke()
}

// see takes what a look has found.
func (r *watched) see(row Row, now time.Time) {
	r.failed, r.left = 0, row.LeaseLeft
	r.tell(nil, func(w *waiter) bool { return row.State != StateRunning || row.Lapsed || row.Owner != w.owner })
	r.again(now)
}

// fail takes that a look has failed.
func (r *watched) fail(err error, now time.Time) {
	if _, temporary := storeError(err); !temporary || r.failed == lookErrors {
		r.tell(err, func(*waiter) bool { return true })
	}
	r.failed++
	r.again(now)
}

// tell ends the wait of those of whom over holds.
func (r *watched) tell(err error, over func(*waiter) bool) {
	for w := range r.waiters {
		if over(w) {
			w.told <- err
			delete(r.waiters, w) // and so it is told once
		}
	}
}

// again plans the look after one that was answered.
func (r *watched) again(now time.Time) {
	r.pause = min(r.pause*3/2, lastLook)
	r.schedule(now)
}

// schedule plans the next look: no sooner than half the pause and no later than three halves from now, and just after the
// lease's end if that is sooner. The jitter is for the other processes.
func (r *watched) schedule(now time.Time) {
	d := r.pause/2 + rand.N(r.pause)
	if lapsed := r.left + lookMargin; lapsed < d {
		d = lapsed + rand.N(3*lookMargin)
	}
	r.next = now.Add(d)
}
