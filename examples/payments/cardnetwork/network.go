package main

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"time"
)

// This file is the network's side of the wire: book first, answer later. In between is where callers lose patience and
// servers die.

type network struct {
	books            *books
	dedup            bool
	fastest, slowest time.Duration
}

// receipt is the network's yes.
type receipt struct {
	ID       string `json:"id"`
	Order    string `json:"order"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

func (n *network) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /bookings", n.book)
	mux.HandleFunc("GET /balance", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, n.books.balance(r.URL.Query().Get("merchant")))
	})
	return mux
}

func (n *network) book(w http.ResponseWriter, r *http.Request) {
	var b booking
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&b); err != nil || b.Amount <= 0 {
		http.Error(w, "not a booking", http.StatusBadRequest)
		return
	}
	b.By = r.UserAgent()
	if !n.dedup {
		b.IdempotencyKey = ""
	}
	b, err := n.books.enter(b)
	if err != nil {
		http.Error(w, "the books can't be written", http.StatusInternalServerError)
		return
	}
	time.Sleep(n.fastest + rand.N(n.slowest-n.fastest+1)) // whether or not the caller still listens
	writeJSON(w, receipt{ID: b.ID, Order: b.Order, Amount: b.Amount, Currency: b.Currency})
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a caller that has gone gets no answer
}
