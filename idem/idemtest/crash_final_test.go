package idemtest

import (
	"context"
	"errors"
	"testing"

	"github.com/idemgen/idemgen/idem"
)

// This file is Crash on services whose errors are outcomes.

// refusal is an error with data.
type refusal struct{ Left int }

func (e *refusal) Error() string { return "refused" }

func TestCrash_LetsServicesWithFinalErrorsPass(t *testing.T) {
	t.Parallel()
	final := func(o *idem.Operation[receipt]) {
		o.Errors = []idem.ErrorRule{idem.FinalIs("example.com/shop.ErrDeclined", errDeclined), idem.FinalAs[*refusal]()}
	}
	declined := func(context.Context, *bank) (receipt, error) { return receipt{}, errDeclined }
	for name, build := range map[string]func() *bank{
		"a sentinel": func() *bank { return &bank{op: with(final), charge: declined} },
		"one with data": func() *bank {
			return &bank{op: with(final), charge: func(context.Context, *bank) (receipt, error) { return receipt{}, &refusal{7} }}
		},
		"a mark": func() *bank {
			return &bank{op: op, charge: func(context.Context, *bank) (receipt, error) { return receipt{}, idem.Final(errors.New("no")) }}
		},
		"after the effect": func() *bank {
			return &bank{op: with(final), charge: func(_ context.Context, b *bank) (receipt, error) { b.write("key"); return receipt{}, errDeclined }, once: true}
		},
		"under hold": func() *bank {
			return &bank{op: with(func(o *idem.Operation[receipt]) { final(o); hold(o) }), charge: declined}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			NoLeaks(t)
			Crash(t, func(testing.TB) Scenario { return build().scenario() })
		})
	}
}
