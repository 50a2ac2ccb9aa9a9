package scenarios

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// This file is two annotated interfaces and what implements them, so that the scenarios about keys, arguments and tenants are played
// with the code that idemgen writes, too.

//go:generate go tool idemgen .

// shop takes orders. Its arguments are of many kinds; each counts.
//
//idem:wrap
//idem:scope tenant
//idem:policy conflict
type shop interface {
	//idem:key key
	Place(ctx context.Context, tenant, key string, o order, cents int64, coupons []string, gift *bool, due time.Time) (string, error)

	//idem:key key
	Cancel(ctx context.Context, tenant, key string) (string, error)
}

// courier has a method of the same name as one of shop's, and with another result.
//
//idem:wrap
type courier interface {
	//idem:key key
	Cancel(ctx context.Context, key string) (int64, error)

	//idem:key key
	//idem:fingerprint p.Item
	Send(ctx context.Context, key string, p parcel, attempt int) (int64, error)
}

// parcel carries, beside what is asked for, what each attempt has of its own.
type parcel struct{ Item, Trace string }

type order struct {
	Item     string
	Count    int
	Options  map[string]string
	Delivery *address
}

type address struct{ Street, City string }

// counting implements both: every run has a number.
type counting struct {
	placed, cancelled, recalled atomic.Int64
}

func (c *counting) Place(context.Context, string, string, order, int64, []string, *bool, time.Time) (string, error) {
	return fmt.Sprint("placed ", c.placed.Add(1)), nil
}

func (c *counting) Cancel(context.Context, string, string) (string, error) {
	return fmt.Sprint("cancelled ", c.cancelled.Add(1)), nil
}

// calling is counting as a courier.
type calling struct{ *counting }

func (c calling) Cancel(context.Context, string) (int64, error) { return c.recalled.Add(1), nil }

func (c calling) Send(context.Context, string, parcel, int) (int64, error) {
	return c.recalled.Add(1), nil
}

// wrapped are both interfaces wrapped, on one engine.
func (s *stage) wrapped() (*counting, *idempotentShop, *idempotentCourier) {
	c := &counting{}
	return c, newIdempotentShop(c, s.engine), newIdempotentCourier(calling{c}, s.engine)
}

// placing are the arguments of one call of Place.
type placing struct {
	tenant, key string
	order       order
	cents       int64
	coupons     []string
	gift        *bool
	due         time.Time
}

func (p placing) send(t testing.TB, shop shop) (string, error) {
	return shop.Place(t.Context(), p.tenant, p.key, p.order, p.cents, p.coupons, p.gift, p.due)
}

// anOrder is a call of Place in which everything has a value.
func anOrder() placing {
	yes := true
	return placing{
		tenant: "alice", key: "k", cents: 1999, coupons: []string{"SPRING", "FRIEND"}, gift: &yes, due: time.Date(2026, 3, 1, 12, 0, 0, 1000, time.UTC),
		order: order{"lamp", 2, map[string]string{"colour": "red", "plug": "EU"}, &address{"Main Street 1", "Ghent"}},
	}
}
