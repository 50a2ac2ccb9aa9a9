package idem

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// This file keeps leases alive. All leases of an engine are renewed by one goroutine, many in one statement, which lives as
// long as there are any. Each lease also has a deadline by this process's monotonic clock, counted from when the claim or the last acknowledged
// renewal was *sent*, so that it always ends before the store's: whoever holds the lease knows first that it is over.

// lease is one claim that is being renewed. Its fields below r are guarded by r.mu.
type lease struct {
	id       ID
	owner    Owner
	length   time.Duration
	onLost   func(error) // called once, when the lease is lost; not under the lock
	onFailed func(error) // called when a renewal failed and will be tried again
	r        *renewer

	renew    bool
	settling bool // the run has ended: losing the lease is no longer news, the row says what happened
	lost     bool
	sent     time.Time // of the last acknowledged claim or renewal
	next     time.Time // when to renew
	deadline *time.Timer
}

// renewer renews the leases that are held.
type renewer struct {
	store Store
	mu    sync.Mutex
	held  map[*lease]struct{}
	loops bool          // the goroutine is there
	wake  chan struct{} // something is due earlier than thought, or nothing is held any more

	base    context.Context // ends when nothing will be held any more
	end     context.CancelFunc
	sending sync.WaitGroup
}

func newRenewer(s Store) *renewer {
	r := &renewer{store: s, held: map[*lease]struct{}{}, wake: make(chan struct{}, 1)}
	r.base, r.end = context.WithCancel(context.Background())
	return r
}

// close ends renewals that are still under way, when no lease is held any more and none will be.
func (r *renewer) close() {
	r.end()
	r.sending.Wait()
}

// valid is how long a lease of this length is relied on after it was sent for: 10 % less than the store grants.
func valid(length time.Duration) time.Duration { return length - length/10 }

// hold starts to keep l, which was claimed by a statement sent at sent.
func (r *renewer) hold(l *lease, sent time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.r, l.sent = r, sent
	l.schedule(l.length/3 - time.Since(sent))
	l.deadline = time.AfterFunc(time.Until(sent.Add(valid(l.length))), l.expire)
	r.held[l] = struct{}{}
	r.poke()
	if !r.loops {
		r.loops = true
		go r.loop()
	}
}

// stop ends the keeping of l. A renewal that is under way may still land: it finds the owner gone or the row settled, or
// moves a lease on that nobody needs.
func (l *lease) stop() {
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	delete(l.r.held, l)
	l.deadline.Stop()
	l.r.poke()
}

// settle says that the run has ended and its outcome is being stored: the lease is renewed even when the operation's is a
// plain timeout, so that nobody starts a second run, and losing it is no longer reported.
func (l *lease) settle() {
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	l.settling = true
	if !l.renew {
		l.renew = true
		l.schedule(0)
		l.r.poke()
	}
}

// over reports whether the lease can't be relied on any more.
func (l *lease) over() bool {
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	return l.lost || time.Since(l.sent) >= valid(l.length)
}

// hush says that losing the lease is no longer news, as settle does, and leaves renewing as it is: under a transaction that has a snapshot
// from before, a renewal would be in the way of the outcome.
func (l *lease) hush() {
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	l.settling = true
}

// schedule plans the next renewal, about d from now.
func (l *lease) schedule(d time.Duration) {
	if d > 0 {
		d = d*9/10 + time.Duration(rand.Int64N(int64(d)/10+1))
	}
	l.next = time.Now().Add(d)
}

// expire is the local deadline: no renewal was acknowledged in time.
func (l *lease) expire() {
	l.r.mu.Lock()
	left := time.Until(l.sent.Add(valid(l.length)))
	_, held := l.r.held[l]
	if held && left > 0 { // renewed meanwhile
		l.deadline.Reset(left)
	}
	report := held && left <= 0 && l.lose()
	l.r.mu.Unlock()
	if report {
		l.onLost(&StoreError{Reason: "no renewal was acknowledged in time"})
	}
}

// lose marks l lost; it reports whether that is news.
func (l *lease) lose() bool {
	if l.lost || l.settling {
		return false
	}
	l.lost = true
	return true
}

// poke makes the loop look again.
func (r *renewer) poke() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// loop renews what is due until nothing is held.
func (r *renewer) loop() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		due, next, alive := r.due(time.Now())
		if !alive {
			return
		}
		if len(due) > 0 {
			go r.send(due) // counted in due
		}
		timer.Reset(time.Until(next))
		select {
		case <-timer.C:
		case <-r.wake:
		}
	}
}

// idleLook is how often the loop looks when nothing is going to be due.
const idleLook = time.Minute

// due takes the leases to renew now, and says when to look again. Alive is false when the loop has ended.
func (r *renewer) due(now time.Time) (due []*lease, next time.Time, alive bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.held) == 0 {
		r.loops = false
		return nil, now, false
	}
	next = now.Add(idleLook)
	for l := range r.held {
		switch {
		case !l.renew:
			continue
		case !l.next.After(now.Add(l.length / 20)): // soon enough to travel with the others
			due = append(due, l)
			l.schedule(l.length / 4) // should this one hang, another is sent beside it
		}
		if l.next.Before(next) {
			next = l.next
		}
	}
	if len(due) > 0 {
		r.sending.Add(1) // while they are held, so before close can wait
	}
	return due, next, true
}

// send renews leases by one statement, which has until the last of the leases it asks for would be over. It is not cut short for
// another try: on a slow day the answer comes late, and cutting it would cost the connection too.
func (r *renewer) send(due []*lease) {
	defer r.sending.Done()
	limit := time.Duration(0)
	asked := make([]Lease, len(due))
	for i, l := range due {
		asked[i] = Lease{ID: l.id, Owner: l.owner, Lease: l.length}
		limit = max(limit, valid(l.length))
	}
	ctx, cancel := context.WithTimeout(r.base, limit)
	defer cancel()
	sent := time.Now()
	answers, err := r.store.Renew(ctx, asked)
	for i, l := range due {
		if err != nil {
			l.retry(err)
			continue
		}
		l.answer(answers[i], sent)
	}
	r.poke()
}

// retry plans another renewal after a failed one.
func (l *lease) retry(err error) {
	l.r.mu.Lock()
	l.schedule(min(l.length/10, time.Second))
	_, held := l.r.held[l]
	l.r.mu.Unlock()
	if held {
		l.onFailed(err)
	}
}

// answer takes the store's answer to a renewal that was sent at sent.
func (l *lease) answer(a Renewal, sent time.Time) {
	l.r.mu.Lock()
	report := false
	switch a {
	case RenewalDone:
		if sent.After(l.sent) { // an older one may be answered later
			l.sent = sent
			l.schedule(l.length/3 - time.Since(sent))
		}
	case RenewalLocked: // nothing is known; the deadline decides
		l.schedule(l.length / 10)
	default:
		_, held := l.r.held[l]
		report = l.lose() && held
		l.renew = l.settling // what is gone is gone; while settling, the row has the last word
		l.schedule(l.length / 3)
	}
	l.r.mu.Unlock()
	if report {
		l.onLost(&StoreError{Reason: "another call has the claim, or the row is gone"})
	}
}
