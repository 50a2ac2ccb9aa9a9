package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// This file is the storm: many clients, few payments, little patience.

const (
	clients = 200
	keys    = 40
	refunds = 8 // of the keys; the others are charges
)

// stormResult is what the clients saw.
type stormResult struct {
	calls     int                        // requests sent
	timeouts  int                        // requests given up by their client, who asked again
	broken    int                        // requests whose connection broke
	conflicts int                        // answers "in flight, ask again"
	receipts  map[string]map[string]bool // key → receipts its clients were given; one each, if all is well
}

// storm is shared by its clients.
type storm struct {
	name    string // tells the keys of this storm from those of others
	servers []*program
	http    *http.Client

	mu     sync.Mutex
	result stormResult
}

// runStorm lets all clients loose at once and waits until each has its receipt. Any answer but a receipt or a reason
// to ask again is an error.
func runStorm(ctx context.Context, name string, servers []*program) (stormResult, error) {
	s := &storm{
		name: name, servers: servers, result: stormResult{receipts: map[string]map[string]bool{}},
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}},
	}
	defer s.http.CloseIdleConnections()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			if err := s.client(ctx, i); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return s.result, context.Cause(ctx)
}

// client asks for its payment until it has a receipt, of one server after the other.
func (s *storm) client(ctx context.Context, i int) error {
	p := s.payment(i % keys)
	for try := 0; ; try++ {
		server := s.servers[(i/keys+try)%len(s.servers)]
		a := s.ask(ctx, server.url, p, patience(try))
		s.note(p.key, a)
		if a.receipt != "" || a.err != nil {
			return a.err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("payment %s got no receipt in time", p.key)
		case <-time.After(a.wait):
		}
	}
}

// patience is how long a client waits for an answer: at first on purpose less than the card network takes.
func patience(try int) time.Duration {
	switch try {
	case 0:
		return 100*time.Millisecond + rand.N(600*time.Millisecond)
	case 1:
		return 500*time.Millisecond + rand.N(time.Second)
	default:
		return 3 * time.Second
	}
}

// note counts an answer.
func (s *storm) note(key string, a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &s.result
	r.calls++
	switch {
	case a.receipt != "":
		if r.receipts[key] == nil {
			r.receipts[key] = map[string]bool{}
		}
		r.receipts[key][a.receipt] = true
	case a.timedOut:
		r.timeouts++
	case a.broken:
		r.broken++
	case a.status == http.StatusConflict:
		r.conflicts++
	}
}
