//go:build unix

package processes

// This file lets two runs of a key meet at the worst moment. Left to chance they would miss each other by milliseconds: a late
// write lands when its successor is done already, and a lease comes back when nobody is about to take it.

const takeWithin = 8 * lease // until the claim of a stopped process is taken over, on a slow day

// question is something that workers ask before they go on, about a key.
type question struct{ what, key string }

// meeting holds up those who ask, until what is to come first has come. The nil meeting holds up nobody.
type meeting struct {
	askers []asker
	open   bool          // nobody is held up any more
	asked  chan struct{} // closed when somebody is held up
	met    chan struct{} // closed when what the meeting is for has happened
}

type asker struct {
	m  *member
	id string
}

// meet begins a meeting. The fleet's lock is held here and in the methods below.
func (f *fleet) meet(q question) *meeting {
	mt := &meeting{asked: make(chan struct{}), met: make(chan struct{})}
	f.meetings[q] = mt
	return mt
}

// ask takes a question: whoever asks is held up, or told to go on.
func (mt *meeting) ask(m *member, id string) {
	if mt == nil || mt.open {
		m.tell(command{Go: id})
		return
	}
	mt.askers = append(mt.askers, asker{m, id})
	if len(mt.askers) == 1 {
		close(mt.asked)
	}
}

// letGo answers all who have asked and will ask.
func (mt *meeting) letGo() {
	if mt.open {
		return
	}
	mt.open = true
	for _, a := range mt.askers {
		a.m.tell(command{Go: a.id, Met: isClosed(mt.met)})
	}
}

// tried is the news that one who was let go has done what it asked for.
func (mt *meeting) tried(id string) {
	if mt == nil || !mt.open || isClosed(mt.met) {
		return
	}
	for _, a := range mt.askers {
		if a.id == id {
			close(mt.met)
			return
		}
	}
}

// written is the news that a late run has written. It reports whether a successor was held up meanwhile.
func (mt *meeting) written() bool {
	if mt == nil || isClosed(mt.met) {
		return false
	}
	close(mt.met)
	return len(mt.askers) > 0 && !mt.open
}

// adjourn ends a meeting.
func (f *fleet) adjourn(q question, mt *meeting) {
	f.mu.Lock()
	defer f.mu.Unlock()
	mt.letGo()
	if f.meetings[q] == mt {
		delete(f.meetings, q)
	}
}

// stall keeps a stopped worker stopped until another run has its claim and is about to end; and lets that one end only when
// the late one has written.
func (f *fleet) stall(m *member, n notice, mt *meeting) {
	defer f.adjourn(question{finishing, n.Key}, mt)
	if f.oneMoreStopped() {
		defer f.oneLessStopped()
		const taken = `SELECT NOT EXISTS (SELECT FROM idem_claims WHERE key = $1 AND fence = $2 AND state = 1)`
		if f.until(m, takeWithin, taken, n.Key, n.Fence) {
			await(m, mt.asked, patience)
		}
	}
	f.letGo(m)
	m.tell(command{Go: n.ID})
	await(m, mt.met, patience)
}

// revive keeps a stopped worker stopped until somebody has found its lease over and wants to take over; brings it back, so that
// its lease is renewed; and only then lets the others try. Its run goes on when one has.
func (f *fleet) revive(m *member, n notice, mt *meeting) {
	defer m.tell(command{Go: n.ID})
	defer f.adjourn(question{taking, n.Key}, mt)
	wanted := false
	if f.oneMoreStopped() {
		defer f.oneLessStopped()
		wanted = await(m, mt.asked, takeWithin)
	}
	f.letGo(m)
	const back = `SELECT EXISTS (SELECT FROM idem_claims WHERE key = $1 AND fence = $2 AND state = 1 AND lease_until > clock_timestamp())`
	if !wanted || !f.until(m, lease, back, n.Key, n.Fence) {
		return
	}
	f.mu.Lock()
	mt.letGo()
	f.mu.Unlock()
	if await(m, mt.met, patience) {
		f.note(lateTaking)
	}
}
