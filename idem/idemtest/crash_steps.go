package idemtest

import (
	"context"

	"github.com/idemgen/idemgen/idem"
)

// This file is the steps of a process that can die, each by way of pass.

var _ idem.Store = (*process)(nil)

// Claim is documented at idem.Store.
func (p *process) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	p.mu.Lock()
	p.claims = append(p.claims, c)
	p.mu.Unlock()
	return pass(ctx, p, StepClaim, func(ctx context.Context) (idem.Row, error) { return p.store.Claim(ctx, c) })
}

// TakeOver is documented at idem.Store.
func (p *process) TakeOver(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	return pass(ctx, p, StepTakeOver, func(ctx context.Context) (idem.Row, error) {
		row, err := p.store.TakeOver(ctx, c, seen)
		if err == nil && row.Owner == c.Owner {
			p.mu.Lock()
			p.takeOvers++
			p.mu.Unlock()
		}
		return row, err
	})
}

// Reclaim is documented at idem.Store.
func (p *process) Reclaim(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	return pass(ctx, p, StepReclaim, func(ctx context.Context) (idem.Row, error) { return p.store.Reclaim(ctx, c, seen) })
}

// HoldLapsed is documented at idem.Store.
func (p *process) HoldLapsed(ctx context.Context, id idem.ID, seen idem.Owner) (idem.Row, error) {
	return pass(ctx, p, StepHoldLapsed, func(ctx context.Context) (idem.Row, error) { return p.store.HoldLapsed(ctx, id, seen) })
}

// Complete is documented at idem.Store.
func (p *process) Complete(ctx context.Context, o idem.Outcome) (idem.Row, error) {
	p.mu.Lock()
	p.forever = p.forever || o.TTL == idem.Forever
	p.completed = true
	p.mu.Unlock()
	return pass(ctx, p, StepComplete, func(ctx context.Context) (idem.Row, error) { return p.store.Complete(ctx, o) })
}

// Release is documented at idem.Store.
func (p *process) Release(ctx context.Context, id idem.ID, owner idem.Owner) (bool, error) {
	return pass(ctx, p, StepRelease, func(ctx context.Context) (bool, error) { return p.store.Release(ctx, id, owner) })
}

// Abandon is documented at idem.Store.
func (p *process) Abandon(ctx context.Context, a idem.Abandonment) (bool, error) {
	return pass(ctx, p, StepAbandon, func(ctx context.Context) (bool, error) { return p.store.Abandon(ctx, a) })
}

// Renew is documented at idem.Store.
func (p *process) Renew(ctx context.Context, leases []idem.Lease) ([]idem.Renewal, error) {
	return unplaced(p, func() ([]idem.Renewal, error) { return p.store.Renew(ctx, leases) })
}

// Read is documented at idem.Store.
func (p *process) Read(ctx context.Context, ids []idem.ID) ([]idem.Row, error) {
	return unplaced(p, func() ([]idem.Row, error) { return p.store.Read(ctx, ids) })
}

// Sweep is documented at idem.Store.
func (p *process) Sweep(ctx context.Context, b idem.SweepBatch) (idem.SweepResult, error) {
	return unplaced(p, func() (idem.SweepResult, error) { return p.store.Sweep(ctx, b) })
}
