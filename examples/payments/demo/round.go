package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// This file is one round: a card network, two servers, the storm, and what came of it.

// The card network's answers take between these.
const (
	fastest = 400 * time.Millisecond
	slowest = 900 * time.Millisecond
)

// round is what is different between the rounds.
type round struct {
	title  string
	byHand bool // check-then-act instead of the wrapper
	dedup  bool // the card network recognises the downstream key
	kill   bool // a server is killed while its charges are under way
}

var rounds = []round{
	{title: "check-then-act, by hand", byHand: true},
	{title: "idemgen"},
	{title: "idemgen, a server killed (kill -9) in the middle of charges", kill: true, dedup: true},
}

// result is what came of a round.
type result struct {
	round
	storm  stormResult
	books  bookResult
	events eventCounts
}

// stage is what all rounds share.
type stage struct {
	programs string // folder of the programs
	dir      string // for files
	database string // connection string
}

func (s stage) play(ctx context.Context, r round) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel() // ends what still runs
	dir, err := os.MkdirTemp(s.dir, "round")
	if err != nil {
		return result{}, err
	}
	file := filepath.Join(dir, "bookings.jsonl")
	args := []string{"-listen", "127.0.0.1:0", "-file", file, "-fastest", fastest.String(), "-slowest", slowest.String()}
	if r.dedup {
		args = append(args, "-dedup")
	}
	network, err := s.start(ctx, dir, "cardnetwork", "cardnetwork", args...)
	if err != nil {
		return result{}, err
	}
	defer network.kill()
	var servers []*program
	for _, name := range []string{"A", "B"} {
		args := []string{"-listen", "127.0.0.1:0", "-name", name, "-network", network.url}
		if r.byHand {
			args = append(args, "-by-hand")
		}
		server, err := s.start(ctx, dir, name, "payments", args...)
		if err != nil {
			return result{}, err
		}
		defer server.kill()
		servers = append(servers, server)
	}
	storm, err := s.storm(ctx, r, filepath.Base(dir), file, servers)
	if err != nil {
		return result{}, err
	}
	return count(r, storm, file, servers)
}

// storm runs the storm, and beside it the killing of a server in a round that wants it.
func (s stage) storm(ctx context.Context, r round, name, file string, servers []*program) (stormResult, error) {
	if !r.kill {
		return runStorm(ctx, name, servers)
	}
	killing, stop := context.WithCancel(ctx)
	killed := make(chan error, 1)
	go func() { killed <- killInTheMiddle(killing, servers, file) }()
	res, err := runStorm(ctx, name, servers)
	stop()
	return res, errors.Join(err, <-killed)
}

// killInTheMiddle kills the first server that the network has made three bookings for. The network takes much longer
// to answer than we take to see that, so the server dies between a charge and the news of it.
func killInTheMiddle(ctx context.Context, servers []*program, file string) error {
	for {
		books, err := readBooks(file)
		if err != nil {
			return err
		}
		for _, server := range servers {
			if books.by[server.name] >= 3 {
				server.kill()
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no charge to kill a server in: %w", ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// count stops the servers, so that all is said and done, and reads what they and the network have written.
func count(r round, storm stormResult, file string, servers []*program) (result, error) {
	res := result{round: r, storm: storm, events: eventCounts{}}
	for _, server := range servers {
		if err := server.stop(); err != nil {
			return result{}, err
		}
		if err := res.events.add(server.log); err != nil {
			return result{}, err
		}
	}
	var err error
	res.books, err = readBooks(file)
	return res, err
}
