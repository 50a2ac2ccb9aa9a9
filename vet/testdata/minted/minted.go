// Package minted makes keys, in the right and in the wrong place.
package minted

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"example.com/shop/pay"
	"github.com/cenkalti/backoff/v4"
	"github.com/google/uuid"
	"github.com/idemgen/idemgen/idem"
)

type order struct {
	id     string
	amount int
	key    string
}

func direct(ctx context.Context, p *pay.IdempotentPayments, o order) {
	for range 3 {
		req := &pay.Request{Meta: pay.Meta{Key: uuid.NewString()}, Amount: o.amount} // want `the key of pay.Payments.Charge is made by uuid.NewString inside the loop, so every attempt has a new key and runs again; make the key once, before it \[IDEM091\]`
		if _, err := p.Charge(ctx, req); err == nil {
			return
		}
	}
}

func once(ctx context.Context, p *pay.IdempotentPayments, o order) {
	req := &pay.Request{Meta: pay.Meta{Key: uuid.NewString()}, Amount: o.amount}
	for range 3 {
		if _, err := p.Charge(ctx, req); err == nil {
			return
		}
	}
}

func variable(ctx context.Context, p pay.Payments, o order) error {
	var err error
	for attempt := 0; attempt < 3; attempt++ {
		key := "charge-" + uuid.New().String() // want `made by uuid.New inside the loop`
		if _, err = p.Charge(ctx, &pay.Request{Meta: pay.Meta{Key: key}, Amount: o.amount}); err == nil {
			return nil
		}
	}
	return err
}

func field(ctx context.Context, p pay.Payments, req *pay.Request) {
	for {
		req.Meta.Key = fmt.Sprintf("k%d", time.Now().UnixNano()) // want `made by time.Now inside the loop`
		if _, err := p.Charge(ctx, req); err == nil {
			return
		}
	}
}

func wholeMeta(ctx context.Context, p pay.Payments, req pay.Request) {
	for {
		req.Meta = pay.Meta{Key: rand.Text()} // want `made by rand.Text inside the loop`
		if _, err := p.Charge(ctx, &req); err == nil {
			return
		}
	}
}

func bytes(ctx context.Context, p pay.Payments) {
	for {
		var b [16]byte
		rand.Read(b[:]) // want `made by rand.Read inside the loop`
		if err := p.Payout(ctx, "m", hex.EncodeToString(b[:])); err == nil {
			return
		}
	}
}

func array(ctx context.Context, p pay.Payments) {
	for {
		if err := p.Refund(ctx, uuid.Must(uuid.NewRandom()), 1); err == nil { // want `made by uuid.NewRandom inside the loop`
			return
		}
	}
}

func severalResults(ctx context.Context, p pay.Payments) {
	for {
		id, err := uuid.NewRandom() // want `made by uuid.NewRandom inside the loop`
		if err != nil {
			return
		}
		if err := p.Refund(ctx, id, 1); err == nil {
			return
		}
	}
}

func ofTheContext(ctx context.Context, p pay.Payments) {
	for {
		ctx := idem.WithKey(ctx, uuid.NewString()) // want `made by uuid.NewString inside the loop`
		if err := p.Void(ctx, 1); err == nil {
			return
		}
	}
}

func ofTheContextOnce(ctx context.Context, p pay.Payments) {
	ctx = idem.WithKey(ctx, uuid.NewString())
	for {
		if err := p.Void(ctx, 1); err == nil {
			return
		}
	}
}

func retried(ctx context.Context, p pay.Payments, b backoff.BackOff) error {
	return backoff.Retry(func() error {
		_, err := p.Charge(ctx, &pay.Request{Meta: pay.Meta{Key: uuid.NewString()}}) // want `made by uuid.NewString inside the function that is retried`
		return err
	}, b)
}

func retriedOnce(ctx context.Context, p pay.Payments, b backoff.BackOff) error {
	key := uuid.NewString()
	return backoff.Retry(func() error {
		_, err := p.Charge(ctx, &pay.Request{Meta: pay.Meta{Key: key}})
		return err
	}, b)
}

func retriedVariable(ctx context.Context, p pay.Payments, b backoff.BackOff) error {
	operation := func() error {
		key := uuid.NewString() // want `inside the function that is retried`
		return p.Payout(ctx, "m", key)
	}
	return backoff.Retry(operation, b)
}

func retriedWithData(ctx context.Context, p pay.Payments, b backoff.BackOff) (pay.Receipt, error) {
	return backoff.RetryWithData(func() (pay.Receipt, error) {
		return p.Charge(ctx, &pay.Request{Meta: pay.Meta{Key: uuid.NewString()}}) // want `inside the function that is retried`
	}, b)
}

type worker struct{ p pay.Payments }

func (w *worker) attempt() error {
	return w.p.Payout(context.TODO(), "m", uuid.NewString()) // want `inside the function that is retried` `IDEM092`
}

func (w *worker) run(b backoff.BackOff) error { return withRetry(w.attempt) }

func withRetry(f func() error) error { return errors.Join(f(), f()) }

func methodValue(ctx context.Context, p *pay.IdempotentPayments) {
	payout := p.Payout
	for {
		if payout(ctx, "m", uuid.NewString()) == nil { // want `made by uuid.NewString inside the loop`
			return
		}
	}
}

func newKey() string { return "k-" + uuid.NewString() }

func newRequest(o order) *pay.Request {
	return &pay.Request{Meta: pay.Meta{Key: uuid.NewString()}, Amount: o.amount}
}

func ofFunctions(ctx context.Context, p pay.Payments, o order) {
	for {
		if p.Payout(ctx, "m", newKey()) == nil { // want `made by newKey inside the loop`
			return
		}
		_, _ = p.Charge(ctx, newRequest(o)) // want `made by newRequest inside the loop`
	}
}

// Each order is a request of its own, with a key that is kept.
func items(ctx context.Context, p pay.Payments, orders []order, save func(order, string)) {
	for _, o := range orders {
		key := uuid.NewString()
		save(o, key)
		_, _ = p.Charge(ctx, &pay.Request{Meta: pay.Meta{Key: key}, Amount: o.amount})
	}
}

// Nobody can ask again with a key that is nowhere but in the call.
func itemsDirect(ctx context.Context, p pay.Payments, orders []order) {
	for _, o := range orders {
		_, _ = p.Charge(ctx, &pay.Request{Meta: pay.Meta{Key: uuid.NewString()}, Amount: o.amount}) // want `made by uuid.NewString inside the loop`
	}
}

// The key is made outside the loop of attempts, and inside that of orders.
func nested(ctx context.Context, p pay.Payments, orders <-chan order) {
	for o := range orders {
		key := uuid.NewString()
		for range 3 {
			if p.Payout(ctx, o.id, key) == nil {
				break
			}
		}
	}
}

func consumer(ctx context.Context, p pay.Payments, next func() order) {
	for {
		o := next()
		key := uuid.NewString()
		_ = p.Payout(ctx, o.id, key)
	}
}

// The first attempt makes the key, the others find it.
func kept(ctx context.Context, p pay.Payments) {
	var key string
	for {
		if key == "" {
			key = uuid.NewString()
		}
		if p.Payout(ctx, "m", key) == nil {
			return
		}
	}
}

func stored(ctx context.Context, p pay.Payments, o order, keyOf func(order, string) string) {
	for {
		key := keyOf(o, uuid.NewString()) // a proposal; what comes back may be stored
		if p.Payout(ctx, "m", key) == nil {
			return
		}
	}
}

func fallback(ctx context.Context, p pay.Payments, o order) {
	for {
		if p.Payout(ctx, "m", cmp.Or(o.key, "none")) == nil {
			return
		}
	}
}

func derived(ctx context.Context, p pay.Payments, o order) {
	for {
		id := uuid.NewSHA1(uuid.UUID{}, []byte(o.id))
		if p.Refund(ctx, id, 1) == nil {
			return
		}
	}
}

func daily(ctx context.Context, p pay.Payments) {
	for {
		if p.Payout(ctx, "m", time.Now().Format("2006-01-02")) == nil {
			return
		}
	}
}

func seconds(ctx context.Context, p pay.Payments) {
	for {
		if p.Payout(ctx, "m", time.Now().Format(time.RFC3339)) == nil { // want `made by time.Now inside the loop`
			return
		}
	}
}

// What is new is not the key.
func otherField(ctx context.Context, p pay.Payments, amounts func() int) {
	for {
		req := &pay.Request{Meta: pay.Meta{Key: "fixed"}, Amount: int(time.Now().Unix())}
		if _, err := p.Charge(ctx, req); err == nil {
			return
		}
	}
}

// The handler runs later, once for every request.
func handlers(ctx context.Context, p pay.Payments, handle func(func())) {
	for range 3 {
		handle(func() { _ = p.Payout(ctx, "m", uuid.NewString()) })
	}
}

func goroutines(ctx context.Context, p pay.Payments) {
	for range 3 {
		go func() { _ = p.Payout(ctx, "m", uuid.NewString()) }() // want `inside the loop`
	}
}

func noLoop(ctx context.Context, p pay.Payments) { _ = p.Payout(ctx, "m", uuid.NewString()) }

var constant = uuid.NewString()

func keptKey() string { return constant }

// What a function returns may have been made before.
func ofKeptFunction(ctx context.Context, p pay.Payments) {
	for {
		if p.Payout(ctx, "m", keptKey()) == nil {
			return
		}
	}
}

func multi(p pay.Payments, args func() (context.Context, *pay.Request)) {
	for {
		if _, err := p.Charge(args()); err == nil {
			return
		}
	}
}

func endless(n int) string { return endless(n + 1) }

func ofEndless(ctx context.Context, p pay.Payments) {
	for p.Payout(ctx, "m", endless(1)) != nil {
	}
}

func twoParts(ctx context.Context, p pay.Payments, merchants []string) {
	for _, m := range merchants {
		number := rand.Text()
		_ = p.Payout(ctx, m, number) // each merchant is another request
	}
	for range merchants {
		number := rand.Text() // want `made by rand.Text inside the loop`
		_ = p.Payout(ctx, merchants[0], number)
	}
}

func inCondition(ctx context.Context, p pay.Payments) {
	for {
		if key := uuid.NewString(); p.Payout(ctx, "m", key) == nil { // want `made by uuid.NewString inside the loop`
			return
		}
	}
}

func keyOf(o order) string {
	if o.key != "" {
		return o.key
	}
	return uuid.NewString()
}

// The order may have brought its key.
func ofOrder(ctx context.Context, p pay.Payments, o order) {
	for {
		if p.Payout(ctx, "m", keyOf(o)) == nil {
			return
		}
	}
}
