package idemtest

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
)

// This file is the proxy between a client and Postgres: who is connected, and what is injected. What it does to one
// connection is in wire.go.

// Cut is a proxy on loopback that stands between a client and a Postgres server and understands their protocol as far as
// it takes to lose exactly one answer. What it acts on is a round trip: what a client sends up to a Sync, or one simple
// query. It does not offer TLS.
type Cut struct {
	server   string
	listener net.Listener
	faults   faults[string]
	cancels  faults[struct{}] // what becomes of requests to cancel
	ctx      context.Context  // ends with the proxy
	stop     context.CancelFunc
	work     sync.WaitGroup

	mu    sync.Mutex
	links map[*link]struct{}
}

// NewCut starts a proxy to the server at an address: host:port, or the path of a Unix socket. It ends with the test, and
// with it all its connections.
func NewCut(t testing.TB, server string) *Cut {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("no proxy: %v", err)
	}
	c := &Cut{server: server, listener: listener, links: map[*link]struct{}{}}
	c.ctx, c.stop = context.WithCancel(context.Background())
	c.work.Go(c.accept)
	t.Cleanup(c.close)
	return c
}

// Addr is where clients connect to, as host:port.
func (c *Cut) Addr() string { return c.listener.Addr().String() }

// Inject makes round trips go wrong that execute a statement whose text contains sql, prepared earlier or not; an empty sql
// is in every one.
//
//   - Refuse cuts the connection, and the server sees nothing of it
//   - LoseAnswer lets the server do it, swallows the answer, and cuts the connection
//   - ApplyLate cuts the client off, and what it sends to cancel it too; the server gets it when it lands, and Land returns when
//     the server has answered
//   - Delay and DelayAnswer cut nothing: they wait. A client that gives up meanwhile does not call back what it sent
//   - LoseLast is LoseAnswer for the last statement alone: the client gets the answers to all others before it is cut off
//   - Split sends the server everything up to the first such statement, waits for the answers (the client gets them) and then
//     at the gate, and sends the rest; Break does not, and cuts the connection. A simple query is one message, which can't be split: they pass it over
//
// It counts as hit when it has taken effect: with LoseAnswer, LoseLast and DelayAnswer, when the server's whole answer is there; with
// Split and Break, when the statement is done and has not failed. The faults of one proxy are asked in the order of their injection.
func (c *Cut) Inject(sql string, f Fault) *Injection { return c.faults.inject(sql, f) }

// DropCancels keeps requests to cancel a statement, as a driver sends them when a context ends, from the server, until it is
// stopped. Hits is how many were dropped.
func (c *Cut) DropCancels() *Injection { return c.cancels.inject(struct{}{}, Fault{Times: Always}) }

// drops reports whether a request to cancel, by its key, is kept from the server.
func (c *Cut) drops(key string) bool {
	if i := c.cancels.take(func(struct{}, Fault) bool { return true }); i != nil {
		i.hit()
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for l := range c.links {
		l.mu.Lock()
		late := l.late && l.key == key
		l.mu.Unlock()
		if late {
			return true
		}
	}
	return false
}

// Connections is how many connections there are now, half-dead ones that wait to land included.
func (c *Cut) Connections() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.links)
}

// CutAll cuts all connections of now, whatever they are doing; new ones are accepted.
func (c *Cut) CutAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for l := range c.links {
		l.close()
	}
}

func (c *Cut) close() {
	c.stop()
	_ = c.listener.Close()
	c.CutAll()
	c.work.Wait()
}

func (c *Cut) accept() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			continue
		}
		c.work.Go(func() { c.serve(client) })
	}
}

// serve carries one connection from its beginning to its end.
func (c *Cut) serve(client net.Conn) {
	network := "tcp"
	if strings.HasPrefix(c.server, "/") {
		network = "unix"
	}
	server, err := new(net.Dialer).DialContext(c.ctx, network, c.server)
	if err != nil {
		_ = client.Close()
		return
	}
	l := newLink(c, client, server)
	c.mu.Lock()
	c.links[l] = struct{}{}
	c.mu.Unlock()
	if c.ctx.Err() != nil { // the proxy ended before it knew of this connection
		l.close()
	}
	l.run()
	c.mu.Lock()
	delete(c.links, l)
	c.mu.Unlock()
}
