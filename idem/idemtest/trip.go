package idemtest

import (
	"encoding/binary"
	"errors"
	"io"
)

// This file is what is on its way over one connection through a Cut: round trips, the statements in them, and messages.

// execution is one statement that a round trip executes.
type execution struct {
	text string
	end  int // where its Execute ends in what is pending; 0: it can't be told from what follows
}

// trip is one round trip on its way.
type trip struct {
	fault    *Injection // what hits its answer; may be nil
	answered chan struct{}
	failed   bool // with an error; to be read when it is answered
	// Of one that is split:
	ahead int       // how many statements are sent ahead, and not answered yet
	done  chan bool // gets whether all of them succeeded
}

// statement notes that one more statement was answered.
func (t *trip) statement(failed bool) {
	t.failed = t.failed || failed
	switch {
	case t.ahead == 0:
	case failed: // the server skips the others
		t.ahead = 0
		t.done <- false
	default:
		if t.ahead--; t.ahead == 0 {
			t.done <- true
		}
	}
}

// push notes a round trip that is about to be sent, the first few of its statements ahead of the others if it is split.
func (l *link) push(fault *Injection, ahead int) *trip {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &trip{fault: fault, answered: make(chan struct{}), ahead: ahead, done: make(chan bool, 1)}
	l.trips = append(l.trips, t)
	return t
}

// current is the round trip that the server is answering; what it says of its own accord belongs to none.
func (l *link) current() *trip {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.trips) == 0 {
		return &trip{answered: make(chan struct{})}
	}
	return l.trips[0]
}

// pop ends the current round trip.
func (l *link) pop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.trips) > 0 {
		close(l.trips[0].answered)
		l.trips = l.trips[1:]
	}
}

var errDropped = errors.New("a request to cancel that was dropped")

var errBadMessage = errors.New("not a message of the Postgres protocol")

// readMessage reads one message whole: its kind, its length, its body.
func readMessage(r io.Reader) (kind byte, message []byte, err error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(r, head); err != nil {
		return 0, nil, err
	}
	message, err = readBody(r, head, binary.BigEndian.Uint32(head[1:])+1)
	return head[0], message, err
}

// readBody reads the rest of a message of size bytes whose head is there.
func readBody(r io.Reader, head []byte, size uint32) ([]byte, error) {
	if size < uint32(len(head)) || size > 1<<30 {
		return nil, errBadMessage
	}
	message := append(make([]byte, 0, size), head...)[:size]
	_, err := io.ReadFull(r, message[len(head):])
	return message, err
}
