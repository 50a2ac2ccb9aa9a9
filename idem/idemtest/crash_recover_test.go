package idemtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/idem"
)

// This file is Crash on services that are asked before they are run again, and on those that outlive their callers.

func recovering(o *idem.Operation[receipt]) { o.Takeover = idem.TakeoverRecover }

func detached(o *idem.Operation[receipt]) { o.Detach = true }

// found is what an honest recover method says: what is in the books.
func found(ctx context.Context, b *bank) (receipt, bool, error) {
	Point(ctx, "before the books are read")
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.books) == 0 {
		return receipt{}, false, nil
	}
	return receipt{ID: "r0"}, true, nil
}

func timedOut(_ context.Context, b *bank) (receipt, error) {
	b.write("")
	return receipt{}, context.DeadlineExceeded
}

func TestCrash_LetsServicesThatAreAskedPass(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func() *bank{
		"recover": func() *bank { return &bank{op: with(recovering), charge: plainly, find: found} },
		"recover, conflict": func() *bank {
			return &bank{op: with(func(o *idem.Operation[receipt]) { recovering(o); conflict(o) }), charge: plainly, find: found}
		},
		"recover what is kept for good": func() *bank {
			return &bank{op: with(func(o *idem.Operation[receipt]) { recovering(o); o.TTL = idem.Forever }), charge: plainly, find: found, once: true}
		},
		"recover after a timeout": func() *bank { return &bank{op: with(recovering), charge: timedOut, find: found} },
		"recover, detached": func() *bank {
			return &bank{op: with(func(o *idem.Operation[receipt]) { recovering(o); detached(o) }), charge: plainly, find: found}
		},
		"detached": func() *bank { return &bank{op: with(detached), charge: plainly} },
		"detached, held": func() *bank {
			return &bank{op: with(func(o *idem.Operation[receipt]) { detached(o); hold(o) }), charge: plainly}
		},
		"detached, and the provider knows the key": func() *bank { return &bank{op: with(detached), charge: known, once: true} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			NoLeaks(t)
			Crash(t, func(testing.TB) Scenario { return build().scenario() })
		})
	}
}

func TestCrash_FindsRecoverMethodsThatAreWrong(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]struct {
		find func(context.Context, *bank) (receipt, bool, error)
		says string
	}{
		"it says no, always": {
			func(context.Context, *bank) (receipt, bool, error) { return receipt{}, false, nil },
			"the effect happened 2 times; at most 1",
		},
		"it says yes, always": {
			func(context.Context, *bank) (receipt, bool, error) { return receipt{ID: "r0"}, true, nil },
			"the effect did not happen",
		},
		"it does what it is to look for": {
			func(_ context.Context, b *bank) (receipt, bool, error) { return b.write(""), true, nil },
			"the effect happened 2 times; at most 1",
		},
		"it can never say": {
			func(context.Context, *bank) (receipt, bool, error) {
				return receipt{}, false, errors.New("no such page")
			},
			"nobody gets an outcome",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			NoLeaks(t)
			said := walked(t, func(testing.TB) Scenario {
				b := bank{op: with(recovering), charge: plainly, find: wrong.find}
				return b.scenario()
			})
			if !strings.Contains(fmt.Sprint(said), wrong.says) {
				t.Errorf("nothing says %q; it said %q", wrong.says, said)
			}
		})
	}
}
