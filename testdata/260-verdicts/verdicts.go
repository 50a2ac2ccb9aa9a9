// Package verdicts has results as people write them, each with something that storage would change.
package verdicts

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"net"
	"net/url"
	"sync"
	"time"

	"example.com/cases/260-verdicts/model"
)

// Receipt is deep.
type Receipt struct {
	Lines []Line
	At    time.Time
}

// Line is a line.
type Line struct {
	Name string
	Meta any
	Next *Line
}

// Gateway has one implementation.
type Gateway interface{ Name() string }

// Stripe is the one.
type Stripe struct{ Key string }

// Name is a name.
func (s *Stripe) Name() string { return s.Key }

// Method has two implementations.
type Method interface{ Pay() }

// Cash and Bank are the two.
type (
	Cash struct{}
	Bank struct{ IBAN string }
)

// Pay pays.
func (Cash) Pay() {}

// Pay pays.
func (Bank) Pay() {}

// Order has a bit of everything.
type Order struct {
	Via      Gateway
	By       *Method
	Err      error
	Wants    chan<- struct{ ID int }
	Discount *float64 `json:"-"`
	mu       sync.Mutex
	lock     *sync.Mutex
	count    int
	total    int
	owner    string
	seen     bool
	Callback func(context.Context, Receipt) (Receipt, error)
}

// Stamp embeds a time.
type Stamp struct {
	time.Time
	Zone string
}

// Level reads what it does not write.
type Level struct{ N int }

// MarshalText writes it.
func (l Level) MarshalText() ([]byte, error) { return []byte{byte(l.N)}, nil }

// Score can't be read in a map.
type Score struct{ n int }

// MarshalJSON writes it.
func (s *Score) MarshalJSON() ([]byte, error) { return json.Marshal(s.n) }

// UnmarshalJSON reads it.
func (s *Score) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &s.n) }

// Config is read by a method of its own.
type Config struct{ Retries int }

// UnmarshalJSON fills in defaults.
func (c *Config) UnmarshalJSON(b []byte) error {
	type plain Config
	c.Retries = 3
	return json.Unmarshal(b, (*plain)(c))
}

// Page is generic.
type Page[T any] struct{ Items []T }

// Account clashes.
type Account struct {
	ID    string `json:"id"`
	Owner struct {
		Tags map[string][]string `json:"tags,omitempty"`
	}
	model.Base
}

var errBroken = errors.New("broken")

var _ = Order{}.count + Order{}.total + len(Order{}.owner)

// Verdicts has them all.
//
//idem:wrap
type Verdicts interface {
	//idem:key k
	A(ctx context.Context, k string) (*Receipt, error)
	//idem:key k
	B(ctx context.Context, k string) (Order, error)
	//idem:key k
	C(ctx context.Context, k string) (Gateway, error)
	//idem:key k
	D(ctx context.Context, k string) (Method, error)
	//idem:key k
	E(ctx context.Context, k string) (Stamp, error)
	//idem:key k
	F(ctx context.Context, k string) (Level, map[string]Score, error)
	//idem:key k
	G(ctx context.Context, k string) (Config, error)
	//idem:key k
	H(ctx context.Context, k string) (Page[Order], error)
	//idem:key k
	I(ctx context.Context, k string) (Account, error)
	//idem:key k
	J(ctx context.Context, k string) (url.URL, error)
	//idem:key k
	K(ctx context.Context, k string) (big.Float, net.IP, error)
	//idem:key k
	L(ctx context.Context, k string) (model.Invoice, error)
	//idem:key k
	M(ctx context.Context, k string) (map[model.Point]int, **int, error)
	//idem:key k
	N(ctx context.Context, k string) ([]struct{ F func() }, error)
	//idem:key k
	O(ctx context.Context, k string) (json.RawMessage, json.Number, error)
	//idem:key k
	P(ctx context.Context, k string) (sync.Mutex, error)
}
