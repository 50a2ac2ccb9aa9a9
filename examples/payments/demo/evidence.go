package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
)

// This file counts from what others wrote: the card network's file, and the servers' logs. Neither asks the wrapper
// what it thinks it did.

// bookResult is what the card network's file says.
type bookResult struct {
	bookings int            // money moved
	double   int            // bookings of an order beyond its first
	repeats  int            // recognised by their idempotency key, and not booked
	by       map[string]int // bookings by server
}

// readBooks counts in the network's file. A last line that is still being written is left for later.
func readBooks(path string) (bookResult, error) {
	res := bookResult{by: map[string]int{}}
	orders := map[string]bool{}
	err := eachLine(path, func(line []byte) error {
		var b struct {
			Kind, Order, By string
			Repeat          bool
		}
		if err := json.Unmarshal(line, &b); err != nil {
			return err
		}
		if b.Repeat {
			res.repeats++
			return nil
		}
		res.bookings++
		res.by[b.By]++
		if order := b.Kind + " " + b.Order; orders[order] {
			res.double++
		} else {
			orders[order] = true
		}
		return nil
	})
	return res, err
}

// eventCounts counts what the servers logged, by kind.
type eventCounts map[string]int

// add counts a server's log.
func (c eventCounts) add(path string) error {
	return eachLine(path, func(line []byte) error {
		var e struct{ Event string }
		if json.Unmarshal(line, &e) == nil && e.Event != "" { // a crash writes lines of its own kind
			c[e.Event]++
		}
		return nil
	})
}

// eachLine gives the whole lines of a file to f, until f fails.
func eachLine(path string, f func(line []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(line); err != nil {
			return err
		}
	}
}
