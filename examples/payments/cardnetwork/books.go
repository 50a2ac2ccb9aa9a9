package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// This file is the network's memory: an append-only file with a line for everything it was asked to book.

// booking is one line.
type booking struct {
	ID             string `json:"id"`
	Kind           string `json:"kind"` // "charge" or "refund"
	Merchant       string `json:"merchant"`
	Order          string `json:"order"`
	Card           string `json:"card,omitempty"`
	Amount         int64  `json:"amount"`
	Currency       string `json:"currency"`
	IdempotencyKey string `json:"idempotency_key,omitempty"`
	By             string `json:"by"` // who asked
	// Repeat: the key was there already. Nothing was booked, and the answer was the first booking.
	Repeat bool `json:"repeat,omitempty"`
}

type books struct {
	mu       sync.Mutex
	file     *os.File
	count    int
	byKey    map[string]booking
	balances map[string]int64
}

func newBooks(file *os.File) *books {
	return &books{file: file, byKey: map[string]booking{}, balances: map[string]int64{}}
}

// enter writes b down and returns the booking it stands for: b with an id, or the one that was made for b's key before.
func (s *books) enter(b booking) (booking, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first, repeat := s.byKey[b.IdempotencyKey]
	if repeat = repeat && b.IdempotencyKey != ""; repeat {
		b.ID, b.Repeat = first.ID, true
		return first, s.write(b)
	}
	s.count++
	b.ID = fmt.Sprintf("bk_%06d", s.count)
	if err := s.write(b); err != nil {
		return booking{}, err
	}
	s.byKey[b.IdempotencyKey] = b
	if b.Kind == "refund" {
		s.balances[b.Merchant] -= b.Amount
	} else {
		s.balances[b.Merchant] += b.Amount
	}
	return b, nil
}

func (s *books) write(b booking) error {
	line, err := json.Marshal(b)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(line, '\n'))
	return err
}

func (s *books) balance(merchant string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.balances[merchant]
}
