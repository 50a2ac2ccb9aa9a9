//go:build unix

package processes

import (
	"context"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
)

// This file is the workers' store: the one on Postgres, with the points of a run that lie outside of its method, and words to the
// test where two runs are to meet.

// directed is the store of a worker.
type directed struct {
	*postgres.Store
	w *worker
}

// Claim is the store's.
func (d directed) Claim(ctx context.Context, c idem.Claim) (idem.Row, error) {
	d.w.keys.Store(c.ID, c.Ref.Key)
	return d.Store.Claim(ctx, c)
}

// TakeOver is the store's. It is sent when the test allows, which it may do when the owner who lapsed is back.
func (d directed) TakeOver(ctx context.Context, c idem.Claim, seen idem.Owner) (idem.Row, error) {
	id, _ := d.w.ask(ctx, taking, c.Ref.Key)
	row, err := d.Store.TakeOver(ctx, c, seen)
	d.w.say(notice{What: took, Key: c.Ref.Key, ID: id})
	return row, err
}

// Complete is the store's, between two points.
func (d directed) Complete(ctx context.Context, o idem.Outcome) (idem.Row, error) {
	d.w.at(completing, o.Claim.Ref.Key, o.Fence)
	row, err := d.Store.Complete(ctx, o)
	if err == nil {
		d.w.wrote("complete", o.Claim.ID)
		d.w.at(completed, o.Claim.Ref.Key, o.Fence)
	}
	return row, err
}

// Release is the store's.
func (d directed) Release(ctx context.Context, id idem.ID, owner idem.Owner) (bool, error) {
	changed, err := d.Store.Release(ctx, id, owner)
	if err == nil {
		d.w.wrote("release", id)
	}
	return changed, err
}

// Abandon is the store's.
func (d directed) Abandon(ctx context.Context, a idem.Abandonment) (bool, error) {
	changed, err := d.Store.Abandon(ctx, a)
	if err == nil {
		d.w.wrote("abandon", a.ID)
	}
	return changed, err
}

// wrote tells the test of a late run's last step.
func (w *worker) wrote(step string, id idem.ID) {
	key, _ := w.keys.Load(id)
	if _, late := w.late.LoadAndDelete(key); late {
		w.say(notice{What: wrote, Key: key.(string), Step: step})
	}
}
