package idemtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
)

// This file is one connection through a Cut: it follows the frontend/backend protocol (version 3) just far enough to know
// which statements a round trip executes, and which of the server's messages answer it.

// link is one connection. The client's messages are held back until the round trip they belong to is complete, so that
// it can be refused as a whole.
type link struct {
	faults         *faults[string]
	client, server net.Conn
	ctx            context.Context // ends with the connection
	end            context.CancelFunc
	answersEnded   chan struct{}

	// Of the client's side:
	statements map[string]string // prepared statement → its text
	portals    map[string]string // portal → its statement's text
	pending    []byte            // of the round trip that is being sent
	executed   []string          // the texts of the statements it executes

	mu    sync.Mutex
	trips []*trip // sent and not answered yet, in order; the beginning of a session is one
}

// trip is one round trip on its way.
type trip struct {
	fault    *Injection // what hits its answer; may be nil
	answered chan struct{}
}

func newLink(c *Cut, client, server net.Conn) *link {
	l := &link{
		faults: &c.faults, client: client, server: server,
		statements: map[string]string{}, portals: map[string]string{}, answersEnded: make(chan struct{}),
	}
	l.ctx, l.end = context.WithCancel(c.ctx)
	return l
}

// close cuts both ends.
func (l *link) close() {
	l.end()
	_ = l.client.Close()
	_ = l.server.Close()
}

// run carries the connection until one side ends it.
func (l *link) run() {
	go func() {
		defer close(l.answersEnded)
		defer l.close()
		l.carryAnswers()
	}()
	l.carryRequests()
	l.close()
	<-l.answersEnded
}

// push notes a round trip that is about to be sent.
func (l *link) push(fault *Injection) *trip {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &trip{fault, make(chan struct{})}
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

// carryAnswers carries what the server sends. When nobody listens any more it reads on: the connection's end comes from the client's side.
func (l *link) carryAnswers() {
	r := bufio.NewReader(l.server)
	var held []byte
	for {
		kind, message, err := readMessage(r)
		if err != nil {
			return
		}
		t := l.current()
		if t.fault == nil {
			_, _ = l.client.Write(message)
		} else {
			held = append(held, message...)
		}
		if kind != 'Z' { // ReadyForQuery ends an answer
			continue
		}
		l.pop()
		if t.fault == nil {
			continue
		}
		t.fault.hit()
		if t.fault.pass(l.ctx) != nil || t.fault.fault.Do == LoseAnswer {
			return
		}
		_, _ = l.client.Write(held)
		held = nil
	}
}

// carryRequests carries what the client sends.
func (l *link) carryRequests() {
	r := bufio.NewReader(l.client)
	if err := l.begin(r); err != nil {
		return
	}
	for {
		kind, message, err := readMessage(r)
		if err != nil {
			return
		}
		l.pending = append(l.pending, message...)
		l.follow(kind, message[5:])
		switch kind {
		case 'S', 'Q': // Sync and Query end a round trip
			if !l.send() {
				return
			}
		case 'P', 'B', 'D', 'E', 'C': // Parse, Bind, Describe, Execute, Close: more will come
		default: // passwords, copied data, Flush, Terminate
			if !l.forward() {
				return
			}
		}
	}
}

// begin carries the first packets, which have no kind: it declines encryption and forwards the one that starts a session or asks
// for a cancellation.
func (l *link) begin(r io.Reader) error {
	const cancelRequest, sslRequest, gssRequest = 80877102, 80877103, 80877104
	for {
		head := make([]byte, 4)
		if _, err := io.ReadFull(r, head); err != nil {
			return err
		}
		packet, err := readBody(r, head, binary.BigEndian.Uint32(head))
		if err != nil {
			return err
		}
		if len(packet) < 8 {
			return errBadMessage
		}
		switch binary.BigEndian.Uint32(packet[4:]) {
		case sslRequest, gssRequest:
			if _, err := l.client.Write([]byte{'N'}); err != nil {
				return err
			}
			continue
		case cancelRequest: // it is answered by closing
		default:
			l.push(nil)
		}
		_, err = l.server.Write(packet)
		return err
	}
}

// follow remembers what a message says about statements.
func (l *link) follow(kind byte, body []byte) {
	first, rest, _ := bytes.Cut(body, []byte{0})
	second, _, _ := bytes.Cut(rest, []byte{0})
	switch kind {
	case 'P': // Parse: statement, text
		l.statements[string(first)] = string(second)
	case 'B': // Bind: portal, statement
		l.portals[string(first)] = l.statements[string(second)]
	case 'E': // Execute: portal
		l.executed = append(l.executed, l.portals[string(first)])
	case 'Q': // Query: text
		l.executed = append(l.executed, string(first))
	}
}

// send sends the round trip that is complete now, or does to it what was injected; false: the client's side is over.
func (l *link) send() bool {
	executed := l.executed
	l.executed = nil
	i := l.faults.take(func(sql string, _ Fault) bool {
		return slices.ContainsFunc(executed, func(text string) bool { return strings.Contains(text, sql) })
	})
	switch {
	case i == nil:
	case i.fault.Do == Refuse || i.fault.Do == ApplyLate:
		l.cutOff(i)
		return false
	case i.fault.Do == Delay:
		i.hit()
		if i.pass(l.ctx) != nil {
			return false
		}
		i = nil // its answer comes as usual
	}
	l.push(i)
	return l.forward()
}

// forward sends what was held back.
func (l *link) forward() bool {
	_, err := l.server.Write(l.pending)
	l.pending = nil
	return err == nil
}

// cutOff ends the client's side before the server has seen the round trip. Under ApplyLate the server's side lives on until it landed.
func (l *link) cutOff(i *Injection) {
	i.hit()
	if i.pass(l.ctx) != nil || i.fault.Do == Refuse {
		return
	}
	i.keep(func() {
		t := l.push(nil)
		if l.forward() {
			select {
			case <-t.answered:
			case <-l.answersEnded:
			}
		}
		l.close()
	})
	_ = l.client.Close()
	<-l.ctx.Done()
}

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
