package idemtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
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
	cut            *Cut
	client, server net.Conn
	ctx            context.Context // ends with the connection
	end            context.CancelFunc
	answersEnded   chan struct{}

	// Of the client's side:
	statements map[string]string // prepared statement → its text
	portals    map[string]string // portal → its statement's text
	pending    []byte            // of the round trip that is being sent
	executed   []execution       // the statements it executes

	mu    sync.Mutex
	trips []*trip // sent and not answered yet, in order; the beginning of a session is one
	key   string  // what the server has to be told to cancel a statement
	late  bool    // the client is cut off, and what it sent is still to be applied
}

func newLink(c *Cut, client, server net.Conn) *link {
	l := &link{
		cut: c, client: client, server: server,
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

// carryAnswers carries what the server sends. When nobody listens any more it reads on: the connection's end comes from the client's side.
func (l *link) carryAnswers() {
	r := bufio.NewReader(l.server)
	var held []byte
	var last, end int // where the last statement's answer begins in held, and where it ends
	for {
		kind, message, err := readMessage(r)
		if err != nil {
			return
		}
		if kind == 'K' { // BackendKeyData
			l.mu.Lock()
			l.key = string(message[5:])
			l.mu.Unlock()
		}
		t := l.current()
		if t.fault == nil {
			_, _ = l.client.Write(message)
		} else {
			held = append(held, message...)
		}
		switch kind {
		case 'C', 'E', 'I', 's': // CommandComplete, ErrorResponse, EmptyQueryResponse, PortalSuspended end a statement's answer
			last, end = end, len(held)
			t.statement(kind == 'E')
		}
		if kind != 'Z' { // ReadyForQuery ends an answer
			continue
		}
		l.pop()
		if t.fault != nil && !l.disturb(t.fault, held, last) {
			return
		}
		held, last, end = nil, 0, 0
	}
}

// disturb does to a whole answer, whose last statement's begins at last, what was injected; false: the connection is over.
func (l *link) disturb(i *Injection, answer []byte, last int) bool {
	i.hit()
	if i.pass(l.ctx) != nil || i.fault.Do == LoseAnswer {
		return false
	}
	if i.fault.Do == LoseLast {
		answer = answer[:last]
	}
	_, _ = l.client.Write(answer)
	return i.fault.Do != LoseLast
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
			if l.cut.drops(string(packet[8:])) {
				return errDropped
			}
		default:
			l.push(nil, 0)
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
		l.executed = append(l.executed, execution{l.portals[string(first)], len(l.pending)})
	case 'Q': // Query: text
		l.executed = append(l.executed, execution{text: string(first)})
	}
}

// send sends the round trip that is complete now, or does to it what was injected; false: the client's side is over.
func (l *link) send() bool {
	executed, at := l.executed, 0
	l.executed = nil
	i := l.cut.faults.take(func(sql string, f Fault) bool {
		at = slices.IndexFunc(executed, func(e execution) bool { return strings.Contains(e.text, sql) })
		return at >= 0 && (f.Do != Split && f.Do != Break || executed[at].end > 0)
	})
	switch {
	case i == nil:
	case i.fault.Do == Split || i.fault.Do == Break:
		return l.split(i, executed[at].end, at+1)
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
	l.push(i, 0)
	return l.forward()
}

// forward sends what was held back.
func (l *link) forward() bool {
	_, err := l.server.Write(l.pending)
	l.pending = nil
	for i := range l.executed { // a client that sends them ahead itself
		l.executed[i].end = 0
	}
	return err == nil
}

// split sends what is pending in two parts: a number of statements, which end at end, and once they are answered, the rest.
func (l *link) split(i *Injection, end, statements int) bool {
	t := l.push(nil, statements)
	flush := []byte{'H', 0, 0, 0, 4} // else the server would keep the answers until it has all
	if _, err := l.server.Write(slices.Concat(l.pending[:end], flush)); err != nil {
		return false
	}
	l.pending = l.pending[end:]
	select {
	case <-l.ctx.Done():
		return false
	case succeeded := <-t.done:
		if succeeded {
			i.hit()
			if i.pass(l.ctx) != nil || i.fault.Do == Break {
				return false
			}
		}
	}
	return l.forward()
}

// cutOff ends the client's side before the server has seen the round trip. Under ApplyLate the server's side lives on until it landed.
func (l *link) cutOff(i *Injection) {
	l.mu.Lock()
	l.late = i.fault.Do == ApplyLate
	l.mu.Unlock()
	i.hit()
	if i.pass(l.ctx) != nil || i.fault.Do == Refuse {
		return
	}
	i.keep(func() bool {
		defer l.close()
		t := l.push(nil, 0)
		if !l.forward() {
			return false
		}
		select {
		case <-t.answered:
			return !t.failed
		case <-l.answersEnded:
			return false
		}
	})
	_ = l.client.Close()
	<-l.ctx.Done()
}
