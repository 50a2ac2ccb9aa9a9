package idemtest

import (
	"bytes"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the half of the store in memory that only tests see: faults, clock, rows, locks.

// Inject makes calls of a step go wrong. Several faults of one step are asked in the order of their injection.
func (s *Store) Inject(step Step, f Fault) *Injection { return s.faults.inject(step, f) }

// Calls is how often a step was called so far, failed calls included.
func (s *Store) Calls(step Step) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[step]
}

// now is the store's clock.
func (s *Store) now() time.Time {
	if !s.stopped.IsZero() {
		return s.stopped
	}
	return time.Now().Add(s.ahead)
}

// Now is the store's time.
func (s *Store) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return stamp(s.now())
}

// Advance moves the store's clock by d, which is how leases lapse and outcomes expire without sleeping. A negative d
// moves it back, as a database's clock may. An engine measures the leases it holds by its own clock, which this does not
// move: a run in this process goes on until its next renewal.
func (s *Store) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped.IsZero() {
		s.stopped = s.stopped.Add(d)
		return
	}
	s.ahead += d
}

// StopClock makes the store's clock stand still; only Advance moves it from now on.
func (s *Store) StopClock() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = s.now()
}

// Row is a row as the store has it now; one that is not there is StateAbsent. See idem.RowID for a row's id.
func (s *Store) Row(id idem.ID) idem.Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view(id)
}

// Rows is all rows, in the order in which they were inserted.
func (s *Store) Rows() []idem.Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := make([]idem.Row, 0, len(s.rows))
	for _, r := range s.inOrder(0) {
		rows = append(rows, s.view(r.ID))
	}
	return rows
}

// Age makes one row older by d: all its times move back. One that is not there is left alone.
func (s *Store) Age(id idem.ID, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.rows[id]
	if !ok {
		return
	}
	for _, t := range []*time.Time{&r.leaseUntil, &r.ClaimedAt, &r.CompletedAt, &r.ExpiresAt} {
		if !t.IsZero() {
			*t = t.Add(-d)
		}
	}
}

// Edit changes a stored row, as an operator or a bug might; StateAbsent deletes it, StateRunning and
// StateUnknown take its outcome away. What the store's clock judges (Lapsed, Expired, LeaseLeft) is not stored, and
// changing it does nothing. A row that is not there is left alone.
func (s *Store) Edit(id idem.ID, change func(*idem.Row)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.rows[id]
	if !ok {
		return
	}
	v := s.view(id)
	change(&v)
	if v.State == idem.StateAbsent {
		delete(s.rows, id)
		return
	}
	if v.State == idem.StateRunning || v.State == idem.StateUnknown {
		v.CompletedAt, v.ExpiresAt, v.Codec, v.Schema, v.Result, v.Code = time.Time{}, time.Time{}, "", nil, nil, ""
	}
	v.Fingerprint, v.Schema, v.Result = bytes.Clone(v.Fingerprint), bytes.Clone(v.Schema), bytes.Clone(v.Result)
	r.Row = v
}

// Lock locks a row as somebody else's open transaction would: until unlock is called, steps that change the row wait,
// renewals and sweeps skip it, claims and reads see it. A row that is not there can't be locked.
func (s *Store) Lock(id idem.ID) (unlock func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.rows[id]
	if !ok || r.locked != nil {
		return func() {}
	}
	locked := make(chan struct{})
	r.locked = locked
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.locked == locked {
			r.locked = nil
			close(locked)
		}
	}
}
