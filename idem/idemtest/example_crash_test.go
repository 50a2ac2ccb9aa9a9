package idemtest_test

import (
	"context"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// Bank is the provider: it outlives the service's processes, and books a charge once for each key that it is given.
type Bank struct {
	mu    sync.Mutex
	books map[string]int
}

func (b *Bank) Book(key string, cents int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.books[key] = cents
	return "receipt " + key
}

func (b *Bank) Bookings() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.books)
}

// Shop is the service. It hands the downstream key on.
type Shop struct{ bank *Bank }

func (s *Shop) Charge(ctx context.Context, cents int) (string, error) {
	run, _ := idem.FromContext(ctx)
	idemtest.Point(ctx, "before the bank is asked") // here a process may die, too
	receipt := s.bank.Book(run.DownstreamKey, cents)
	idemtest.Point(ctx, "after the bank was asked")
	return receipt, nil
}

// IdempotentShop is what idemgen makes of it, in short.
type IdempotentShop struct {
	next *Shop
	eng  *idem.Engine
}

var shopCharge = idem.Operation[string]{Name: "example.com/shop.Shop.Charge"}

func (w *IdempotentShop) Charge(ctx context.Context, key string, cents int) (string, error) {
	return idem.Do(ctx, w.eng, &shopCharge, idem.Call[string]{
		Key:  idem.StringKey(key),
		Args: func(f *idem.Fingerprint) { f.Add("cents", cents) },
		Run:  func(ctx context.Context) (string, error) { return w.next.Charge(ctx, cents) },
	})
}

// testCharge is what a test of the shop says.
func testCharge(t *testing.T) {
	idemtest.Crash(t, func(testing.TB) idemtest.Scenario {
		bank := &Bank{books: map[string]int{}}
		return idemtest.Scenario{
			Start: func(eng *idem.Engine) func(context.Context) (any, error) {
				shop := &IdempotentShop{next: &Shop{bank}, eng: eng}
				return func(ctx context.Context) (any, error) { return shop.Charge(ctx, "order-7", 1999) }
			},
			Effects: bank.Bookings,
			Once:    true, // the bank sees to it, by the key
		}
	})
}

// Whenever a process of the shop dies, the bank books the order once, and everybody gets its receipt.
func ExampleCrash() {
	var t *testing.T // of func TestCharge(t *testing.T)
	testCharge(t)
}
