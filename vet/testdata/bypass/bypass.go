// Package bypass calls keyed methods past their wrapper, and in ways that only look like it.
package bypass

import (
	"context"
	"sync/atomic"

	"example.com/shop/box"
	"example.com/shop/mail"
	"example.com/shop/mail/outbox"
	"example.com/shop/pay"
	"example.com/shop/stripe"
	"github.com/google/uuid"
	"github.com/idemgen/idemgen/idem"
)

func concrete(ctx context.Context, c *stripe.Client, req *pay.Request) {
	_, _ = c.Charge(ctx, req)                // want `pay.Payments.Charge is called on \*stripe.Client, past its wrapper, so nothing keeps it from running twice; use a \*pay.IdempotentPayments made of it \[IDEM090\]`
	_, _ = c.Balance(ctx)                    // forwarded by the wrapper as well
	_ = c.Refund(ctx, uuid.UUID{}, 1)        // want `pay.Payments.Refund is called on \*stripe.Client`
	_ = (*stripe.Client).Void(c, ctx, 1)     // want `pay.Payments.Void is called on \*stripe.Client`
	_ = new(stripe.Client).Void(ctx, 1)      // want `pay.Payments.Void is called on`
	go c.Void(ctx, 1)                        // want `IDEM090`
	defer c.Void(ctx, 1)                     // want `IDEM090`
	func() { _ = c.Payout(ctx, "m", "1") }() // want `IDEM090`
}

func methodValue(ctx context.Context, c *stripe.Client) {
	charge := c.Charge // want `pay.Payments.Charge is taken from \*stripe.Client, past its wrapper`
	_, _ = charge(ctx, nil)
}

// client is an implementation by embedding one.
type client struct {
	*stripe.Client
	name string
}

func embedded(ctx context.Context, c client) {
	_ = c.Void(ctx, 1) // want `IDEM090`
}

// holder only embeds the interface: what is in it is not known.
type holder struct {
	pay.Payments
	name string
}

func embeddedInterface(ctx context.Context, h holder) {
	_ = h.Void(ctx, 1)
}

// router hands on to what it holds, far inside.
type router struct {
	*stripe.Client
	routes map[string][]struct{ to pay.Payments }
}

func (r router) Void(ctx context.Context, amount int) error {
	return r.routes[""][0].to.Void(ctx, amount)
}

func routed(ctx context.Context, r router) {
	_ = r.Void(ctx, 1)
}

// protected embeds the wrapper.
type protected struct{ *pay.IdempotentPayments }

func embeddedWrapper(ctx context.Context, p protected) {
	_ = p.Void(ctx, 1)
}

func held(ctx context.Context, c *stripe.Client) {
	var p pay.Payments = c
	_ = p.Void(ctx, 1) // want `pay.Payments.Void is called on \*stripe.Client`

	q := pay.Payments(c)
	_ = q.Void(ctx, 1) // want `IDEM090`

	// voider is a smaller interface of the caller's own.
	type voider interface {
		Void(ctx context.Context, amount int) error
	}
	var v voider = c
	_ = v.Void(ctx, 1)      // want `pay.Payments.Void is called on \*stripe.Client`
	_ = made().Void(ctx, 1) // want `IDEM090`
}

func made() pay.Payments { return &stripe.Client{} }

func wrapped(ctx context.Context, c *stripe.Client, eng *idem.Engine) {
	var p pay.Payments = c
	p = pay.NewIdempotentPayments(p, eng)
	_ = p.Void(ctx, 1)

	q := pay.NewIdempotentPayments(c, eng)
	_ = q.Void(ctx, 1)
	void := q.Void
	_ = void(ctx, 1)

	_ = wrap(c, eng).Void(ctx, 1)
	_ = maybe(c, eng, true).Void(ctx, 1)
}

func wrap(p pay.Payments, eng *idem.Engine) pay.Payments { return pay.NewIdempotentPayments(p, eng) }

func maybe(c *stripe.Client, eng *idem.Engine, on bool) pay.Payments {
	if on {
		return pay.NewIdempotentPayments(c, eng)
	}
	return c
}

func parameter(ctx context.Context, p pay.Payments) { _ = p.Void(ctx, 1) }

func generic[P pay.Payments](ctx context.Context, p P) { _ = p.Void(ctx, 1) }

// raw is only ever given the client.
type raw struct{ pay pay.Payments }

func newRaw() *raw { return &raw{pay: &stripe.Client{}} }

func (r *raw) run(ctx context.Context) {
	_ = r.pay.Void(ctx, 1) // want `pay.Payments.Void is called on \*stripe.Client`
}

// service is given what its caller has.
type service struct{ pay pay.Payments }

func newService(p pay.Payments) *service { return &service{pay: p} }

func (s *service) run(ctx context.Context) { _ = s.pay.Void(ctx, 1) }

// logging may stand in front of the wrapper or behind it.
type logging struct {
	pay.Payments
	next pay.Payments
}

func (l *logging) Void(ctx context.Context, amount int) error { return l.next.Void(ctx, amount) }

func decorated(ctx context.Context, l *logging, f forwarding) {
	_ = l.Void(ctx, 1)
	_ = f.Send(ctx, mail.Message{})
}

// forwarding has a function instead.
type forwarding struct {
	send func(context.Context, mail.Message) error
}

func (f forwarding) Send(ctx context.Context, m mail.Message) error { return f.send(ctx, m) }

// reserve is an implementation that uses another one: its own affair.
type reserve struct{ first, second stripe.Client }

func (r *reserve) Charge(ctx context.Context, req *pay.Request) (pay.Receipt, error) {
	if got, err := r.first.Charge(ctx, req); err == nil {
		return got, nil
	}
	return r.second.Charge(ctx, req)
}
func (r *reserve) Refund(ctx context.Context, id uuid.UUID, amount int) error { return nil }
func (r *reserve) Payout(ctx context.Context, merchant, number string) error  { return nil }
func (r *reserve) Void(ctx context.Context, amount int) error                 { return nil }
func (r *reserve) Balance(ctx context.Context) (int, error)                   { return 0, nil }
func (r *reserve) other(ctx context.Context) error                            { return r.second.Void(ctx, 1) }

// almost lacks a method.
type almost struct{}

func (almost) Void(ctx context.Context, amount int) error { return nil }

func notImplemented(ctx context.Context, a almost) { _ = a.Void(ctx, 1) }

func generics(ctx context.Context, m *box.Memory[int], eng *idem.Engine) {
	_, _ = m.Put(ctx, box.Item[int]{Key: "k"}) // want `box.Box.Put is called on \*box.Memory\[int\], past its wrapper`
	w := box.NewIdempotentBox[int](m, eng)
	_, _ = w.Put(ctx, box.Item[int]{Key: "k"})
	var b box.Box[int] = m
	_, _ = b.Put(ctx, box.Item[int]{Key: "k"}) // want `IDEM090`
}

func elsewhere(ctx context.Context, s mail.SMTP, eng *idem.Engine) {
	_ = s.Send(ctx, mail.Message{}) // want `mail.Sender.Send is called on mail.SMTP, past its wrapper, so nothing keeps it from running twice; use a \*outbox.IdempotentSender made of it`
	_ = outbox.NewIdempotentSender(s, eng).Send(ctx, mail.Message{})
}

// table has the methods of pay.Log by chance.
type table struct{}

func (table) Put(ctx context.Context, key, value string) error { return nil }

// journal is used as one.
type journal struct{}

func (journal) Put(ctx context.Context, key, value string) error { return nil }

var _ pay.Log = journal{}

func chance(ctx context.Context, t table, j journal) {
	_ = t.Put(ctx, "k", "v")
	_ = j.Put(ctx, "k", "v") // want `pay.Log.Put is called on journal`
}

func switched(ctx context.Context, p pay.Payments) {
	switch x := p.(type) {
	case *stripe.Client:
		_ = x.Void(ctx, 1) // want `IDEM090`
	case *pay.IdempotentPayments:
		_ = x.Void(ctx, 1)
	default:
		_ = x.Void(ctx, 1)
	}
	if c, ok := p.(*stripe.Client); ok {
		_ = c.Void(ctx, 1) // want `IDEM090`
	}
}

func addressed(ctx context.Context, c *stripe.Client) {
	var p pay.Payments = c
	replace(&p)
	_ = p.Void(ctx, 1)
}

func replace(p *pay.Payments) {}

// lazy makes its payments when they are needed, cached holds them somewhere, and chain is a type that holds itself.
type lazy struct {
	*stripe.Client
	get func() pay.Payments
}

type cached struct {
	stripe.Client
	by map[string]atomic.Pointer[pay.Payments]
}

type chain[T any] struct {
	*stripe.Client
	next *chain[T]
}

func decorators(ctx context.Context, l *lazy, c *cached, e *chain[int]) {
	_ = l.get().Void(ctx, 1)
	_ = l.Client.Void(ctx, 1) // want `IDEM090`
	_ = c.by["a"]
	_ = e.Void(ctx, 1) // want `IDEM090`
}

func alias(ctx context.Context) {
	type other = stripe.Client
	var o other
	_ = o.Void(ctx, 1) // want `IDEM090`
	f := (*other).Void // want `pay.Payments.Void is taken from \*other`
	_ = f(&o, ctx, 1)
}

// several results, of which the first is called.
func pair() (pay.Payments, error) { return new(stripe.Client), nil }

func several(ctx context.Context) {
	p, err := pair()
	if err != nil {
		return
	}
	_ = p.Void(ctx, 1)            // want `IDEM090`
	_, _ = p.Charge(request(ctx)) // want `IDEM090`
}

func request(ctx context.Context) (context.Context, *pay.Request) { return ctx, nil }

type slot[T any] struct{ value T }

func instance(ctx context.Context, given pay.Payments) {
	a := slot[pay.Payments]{value: new(stripe.Client)}
	b := slot[pay.Payments]{value: given}
	_, _ = a.value.Void(ctx, 1), b.value.Void(ctx, 1)
}
