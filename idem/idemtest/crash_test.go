package idemtest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file shows that Crash lets services pass that are right, and finds each that is wrong on purpose.

// bank is what outlives the processes: books, and a service that writes into them in the way a test wants.
type bank struct {
	mu     sync.Mutex
	books  []string
	minted int
	charge func(context.Context, *bank) (receipt, error)
	op     idem.Operation[receipt]
	find   func(context.Context, *bank) (receipt, bool, error) // under takeover recover
	key    func(*bank) string
	args   func(*bank) int
	direct bool  // past the wrapper
	anyway error // when the wrapper says so, past it
	once   bool
}

type receipt struct {
	ID   string
	Note string `json:"-"`
}

// write books an effect under a key of the provider's, or finds the one that is there; without a key it always books.
func (b *bank) write(key string) receipt {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n, booked := range b.books {
		if key != "" && booked == key {
			return receipt{ID: fmt.Sprint("r", n)}
		}
	}
	b.books = append(b.books, key)
	return receipt{ID: fmt.Sprint("r", len(b.books)-1)}
}

func (b *bank) mint() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.minted++
	return b.minted
}

func (b *bank) scenario() Scenario {
	return Scenario{
		Once: b.once,
		Effects: func() int {
			b.mu.Lock()
			defer b.mu.Unlock()
			return len(b.books)
		},
		Start: func(eng *idem.Engine) func(context.Context) (any, error) {
			return func(ctx context.Context) (any, error) {
				if b.direct {
					return b.charge(ctx, b)
				}
				c := idem.Call[receipt]{
					Key:  idem.StringKey("order-7"),
					Args: func(f *idem.Fingerprint) { f.Add("cents", 1999) },
					Run:  func(ctx context.Context) (receipt, error) { return b.charge(ctx, b) },
				}
				if b.find != nil {
					c.Recover = func(ctx context.Context) (receipt, bool, error) { return b.find(ctx, b) }
				}
				if b.key != nil {
					c.Key = idem.StringKey(b.key(b))
				}
				if b.args != nil {
					cents := b.args(b)
					c.Args = func(f *idem.Fingerprint) { f.Add("cents", cents) }
				}
				r, err := idem.Do(ctx, eng, &b.op, c)
				if b.anyway != nil && errors.Is(err, b.anyway) {
					return b.charge(ctx, b)
				}
				return r, err
			}
		},
	}
}

var op = idem.Operation[receipt]{Name: "example.com/shop.Payments.Charge"}

func with(change func(*idem.Operation[receipt])) idem.Operation[receipt] {
	o := op
	change(&o)
	return o
}

var errDeclined = errors.New("declined")

func plainly(ctx context.Context, b *bank) (receipt, error) {
	Point(ctx, "before")
	r := b.write("")
	Point(ctx, "after")
	return r, nil
}

// known hands the downstream key on, so that the provider books once.
func known(ctx context.Context, b *bank) (receipt, error) {
	run, _ := idem.FromContext(ctx)
	Point(ctx, "before")
	r := b.write(run.DownstreamKey)
	Point(ctx, "after")
	return r, nil
}

func hold(o *idem.Operation[receipt])     { o.Takeover = idem.TakeoverHold }
func conflict(o *idem.Operation[receipt]) { o.Policy = idem.PolicyConflict }

// worlds are services that are right.
var rightBanks = map[string]func() *bank{
	"rerun":               func() *bank { return &bank{op: op, charge: plainly} },
	"rerun, key is known": func() *bank { return &bank{op: op, charge: known, once: true} },
	"conflict":            func() *bank { return &bank{op: with(conflict), charge: plainly} },
	"hold":                func() *bank { return &bank{op: with(hold), charge: plainly} },
	"a short plain lease": func() *bank {
		return &bank{charge: plainly, op: with(func(o *idem.Operation[receipt]) { o.Lease, o.NoRenew = 100*time.Millisecond, true })}
	},
	"for good": func() *bank {
		return &bank{charge: plainly, op: with(func(o *idem.Operation[receipt]) { o.TTL = idem.Forever })}
	},
	"two attempts": func() *bank {
		return &bank{charge: plainly, op: with(func(o *idem.Operation[receipt]) { o.MaxAttempts = 1 })}
	},
	"declined": func() *bank {
		return &bank{op: op, charge: func(ctx context.Context, _ *bank) (receipt, error) {
			Point(ctx, "declined")
			return receipt{}, errDeclined
		}}
	},
	"declined under hold": func() *bank {
		return &bank{op: with(hold), charge: func(context.Context, *bank) (receipt, error) { return receipt{}, idem.NoEffect(errDeclined) }}
	},
	"a timeout after the effect": func() *bank {
		return &bank{op: op, charge: func(ctx context.Context, b *bank) (receipt, error) {
			b.write("")
			return receipt{}, context.DeadlineExceeded
		}}
	},
	"a timeout under hold": func() *bank {
		return &bank{op: with(hold), charge: func(ctx context.Context, b *bank) (receipt, error) {
			b.write("")
			return receipt{}, context.DeadlineExceeded
		}}
	},
}

func TestCrash_LetsRightServicesPass(t *testing.T) {
	t.Parallel()
	for name, build := range rightBanks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			NoLeaks(t)
			Crash(t, func(testing.TB) Scenario { return build().scenario() })
		})
	}
}

func TestCrash_FindsWrongServices(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]struct {
		bank func() *bank
		says string
	}{
		"the effect twice in one run": {
			func() *bank {
				return &bank{op: op, charge: func(_ context.Context, b *bank) (receipt, error) { b.write(""); return b.write(""), nil }}
			}, "more than once",
		},
		"the effect at every attempt, though once is promised": {
			func() *bank { return &bank{op: op, charge: plainly, once: true} },
			"the effect happened 2 times; at most 1",
		},
		"a plain error after the effect": {
			func() *bank {
				return &bank{op: op, charge: func(_ context.Context, b *bank) (receipt, error) { b.write(""); return receipt{}, errDeclined }}
			}, "the effect happened 2 times; at most 1",
		},
		"no effect when it is run again": {
			func() *bank {
				return &bank{op: op, charge: func(ctx context.Context, b *bank) (receipt, error) {
					if run, _ := idem.FromContext(ctx); run.Attempt > 1 {
						return receipt{}, nil
					}
					return plainly(ctx, b)
				}}
			}, "the effect did not happen",
		},
		"an error when it is run again": {
			func() *bank {
				return &bank{op: op, charge: func(ctx context.Context, b *bank) (receipt, error) {
					if run, _ := idem.FromContext(ctx); run.Attempt > 1 {
						return receipt{}, errors.New("this order is charged already")
					}
					return plainly(ctx, b)
				}}
			}, "nobody gets an outcome",
		},
		"a result that storage changes": {
			func() *bank {
				return &bank{op: op, charge: func(ctx context.Context, b *bank) (receipt, error) {
					r, err := plainly(ctx, b)
					r.Note = "thank you"
					return r, err
				}}
			}, "different results: the result.Note",
		},
		"a result that can't be stored": {
			func() *bank {
				return &bank{op: with(func(o *idem.Operation[receipt]) { o.Codec = refusing{} }), charge: plainly}
			}, "could not be stored",
		},
		"a result that can't be read": {
			func() *bank {
				return &bank{op: with(func(o *idem.Operation[receipt]) { o.Codec = unreadable{} }), charge: plainly}
			}, "can't be read",
		},
		"a key that is made anew": {
			func() *bank {
				return &bank{op: op, charge: plainly, key: func(b *bank) string { return fmt.Sprint("key", b.mint()) }}
			}, "another key each time",
		},
		"arguments that are made anew": {
			func() *bank { return &bank{op: op, charge: plainly, args: (*bank).mint} }, "other arguments each time",
		},
		"past the wrapper": {
			func() *bank { return &bank{op: op, charge: plainly, direct: true} }, "made no claim",
		},
		"a transaction mode": {
			func() *bank {
				return &bank{op: with(func(o *idem.Operation[receipt]) { o.Tx = idem.TxOwn }), charge: plainly}
			}, "can't run on the store in memory",
		},
		"no key": {
			func() *bank { return &bank{op: op, charge: plainly, key: func(*bank) string { return "" }} }, "made no claim",
		},
		"an attempt of its own when another call is on it": {
			func() *bank { return &bank{op: with(conflict), charge: plainly, anyway: idem.ErrInFlight} },
			"the lease is valid, and the call was not told",
		},
		"an attempt of its own when nobody knows": {
			func() *bank { return &bank{op: with(hold), charge: plainly, anyway: idem.ErrOutcomeUnknown} },
			"the call succeeded, and no outcome is stored",
		},
		"no effect, it says, when its caller has left": {
			func() *bank {
				return &bank{op: op, charge: func(ctx context.Context, b *bank) (receipt, error) {
					r, _ := plainly(ctx, b)
					return r, idem.NoEffect(ctx.Err())
				}}
			}, "the effect happened 2 times; at most 1",
		},
		"an end of the goroutine": {
			func() *bank {
				return &bank{op: op, charge: func(ctx context.Context, b *bank) (receipt, error) {
					if run, _ := idem.FromContext(ctx); run.Attempt > 1 {
						runtime.Goexit()
					}
					return plainly(ctx, b)
				}}
			}, "ended its goroutine",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			NoLeaks(t)
			said := walked(t, func(testing.TB) Scenario { return wrong.bank().scenario() })
			found := false
			for _, s := range said {
				found = found || strings.Contains(s, wrong.says)
			}
			if !found {
				t.Errorf("nothing says %q; it said %d things: %s", wrong.says, len(said), strings.Join(said, "\n"))
			}
			if testing.Verbose() && len(said) > 0 {
				t.Log(said[0])
			}
		})
	}
}

// walked is what a walk complains of.
func walked(t *testing.T, world func(testing.TB) Scenario) (said []string) {
	w := &walk{world: world}
	w.each = func(name string, f func(testing.TB)) {
		r := &recorder{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			f(r)
		}()
		<-done
		for _, text := range r.said {
			said = append(said, name+": "+text)
		}
	}
	w.all(t)
	return said
}

// recorder keeps complaints to itself.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) {
	r.said = append(r.said, fmt.Sprint(args...))
	runtime.Goexit()
}

type refusing struct{ idem.JSON[receipt] }

func (refusing) Name() string                             { return "refusing" }
func (refusing) Encode(idem.Ref, receipt) ([]byte, error) { return nil, errors.New("no") }

type unreadable struct{ idem.JSON[receipt] }

func (unreadable) Name() string                             { return "unreadable" }
func (unreadable) Decode(idem.Ref, []byte) (receipt, error) { return receipt{}, errors.New("no") }
