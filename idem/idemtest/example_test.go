package idemtest_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// cardNetwork is the service that must not charge twice.
type cardNetwork struct{ charges int }

func (n *cardNetwork) Charge(context.Context, int) (receipt string, err error) {
	n.charges++
	return fmt.Sprintf("receipt %d", n.charges), nil
}

// payments is what wraps it: as a generated wrapper does, in short.
type payments struct {
	next *cardNetwork
	eng  *idem.Engine
}

var chargeOperation = &idem.Operation[string]{Name: "example.com/shop.Payments.Charge", Lease: 15 * time.Second}

func (w *payments) Charge(ctx context.Context, key string, cents int) (string, error) {
	return idem.Do(ctx, w.eng, chargeOperation, idem.Call[string]{
		Key:  idem.StringKey(key),
		Args: func(f *idem.Fingerprint) { f.Add("cents", cents) },
		Run:  func(ctx context.Context) (string, error) { return w.next.Charge(ctx, cents) },
	})
}

// newPayments is a wrapped service over a store in memory.
func newPayments(store *idemtest.Store) *payments {
	engine, err := idem.New(store)
	if err != nil {
		panic(err)
	}
	return &payments{next: &cardNetwork{}, eng: engine}
}

// chargeRow is the row of a key.
func chargeRow(key string) idem.ID {
	return idem.RowID(idem.Ref{Operation: chargeOperation.Name, Key: key})
}

// A unit test of a service behind its wrapper needs no database.
func Example() {
	ctx, store := context.Background(), idemtest.NewStore()
	p := newPayments(store)
	defer p.eng.Close()

	first, _ := p.Charge(ctx, "order-7", 1999)
	again, _ := p.Charge(ctx, "order-7", 1999)
	fmt.Println(first, "/", again, "/ charges:", p.next.charges)

	_, err := p.Charge(ctx, "order-7", 2999)
	fmt.Println("other amount:", errors.Is(err, idem.ErrMismatch))

	store.Advance(25 * time.Hour) // the outcome is kept for a day
	later, _ := p.Charge(ctx, "order-7", 2999)
	fmt.Println(later)
	// Output:
	// receipt 1 / receipt 1 / charges: 1
	// other amount: true
	// receipt 2
}

// The database stores the result, and its answer is lost: the caller is told the truth, and a retry charges nothing.
func ExampleStore_Inject() {
	ctx, store := context.Background(), idemtest.NewStore()
	p := newPayments(store)
	defer p.eng.Close()

	lost := store.Inject(idemtest.StepComplete, idemtest.Fault{Do: idemtest.LoseAnswer})
	receipt, err := p.Charge(ctx, "order-7", 1999)
	fmt.Println(receipt, err, "/ answers lost:", lost.Hits())
	receipt, err = p.Charge(ctx, "order-7", 1999)
	fmt.Println(receipt, err, "/ charges:", p.next.charges)
	// Output:
	// receipt 1 <nil> / answers lost: 1
	// receipt 1 <nil> / charges: 1
}

// With the database down, nothing is charged.
func ExampleFault() {
	ctx, store := context.Background(), idemtest.NewStore()
	p := newPayments(store)
	defer p.eng.Close()

	down := store.Inject(idemtest.StepClaim, idemtest.Fault{Times: idemtest.Always, Err: &idem.StoreError{Reason: "no connection", NotApplied: true}})
	_, err := p.Charge(ctx, "order-7", 1999)
	fmt.Println("refused:", errors.Is(err, idem.ErrStore), "/ charges:", p.next.charges)
	down.Stop()
	receipt, err := p.Charge(ctx, "order-7", 1999)
	fmt.Println(receipt, err)
	// Output:
	// refused: true / charges: 0
	// receipt 1 <nil>
}

// A process died in the middle of a charge: its claim is left, running. The next caller takes it over when it has lapsed.
func ExampleStore_Age() {
	ctx, store := context.Background(), idemtest.NewStore()
	p := newPayments(store)
	defer p.eng.Close()

	_, _ = p.Charge(ctx, "order-7", 1999)
	store.Edit(chargeRow("order-7"), func(r *idem.Row) { r.State = idem.StateRunning })
	store.Age(chargeRow("order-7"), time.Minute)

	receipt, err := p.Charge(ctx, "order-7", 1999)
	row := store.Row(chargeRow("order-7"))
	fmt.Println(receipt, err, "/ attempt", row.Attempt, "/ lapses", row.Lapses)
	// Output:
	// receipt 2 <nil> / attempt 2 / lapses 1
}

// A person who has found out that a charge was made, although its process died, gives all callers its receipt.
func ExampleStore_decide() {
	ctx, store := context.Background(), idemtest.NewStore()
	holding := *chargeOperation
	holding.Takeover = idem.TakeoverHold
	call := func(run func(context.Context) (string, error)) (string, error) {
		engine, err := idem.New(store)
		if err != nil {
			panic(err)
		}
		defer engine.Close()
		return idem.Do(ctx, engine, &holding, idem.Call[string]{Key: idem.StringKey("order 7"), Run: run})
	}
	_, err := call(func(context.Context) (string, error) { return "", idem.Unknown(errors.New("gateway timeout")) })
	fmt.Println(err)
	_, err = call(again)
	fmt.Println(errors.Is(err, idem.ErrOutcomeUnknown))

	open, err := store.List(ctx, idem.ClaimFilter{Standings: []idem.Standing{idem.StandingUnknown}})
	if err != nil {
		panic(err)
	}
	claim := open.Claims[0]
	result, err := idem.ResultOf(&holding, claim.Ref, "receipt 7")
	if err != nil {
		panic(err)
	}
	_, err = idem.Decide(ctx, store, idem.Decision{
		ID: claim.ID, Seen: idem.Seen{State: claim.State, Owner: claim.Owner},
		Action: idem.ActionComplete, Result: result, Who: "ann", Why: "charged, says the provider",
	})
	fmt.Println(err)

	fmt.Println(call(again))
	// Output:
	// gateway timeout
	// true
	// <nil>
	// receipt 7 <nil>
}

// again is a second run, which must not happen.
func again(context.Context) (string, error) { panic("it ran a second time") }
