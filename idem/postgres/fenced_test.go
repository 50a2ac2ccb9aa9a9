package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is about an owner who was replaced: whatever he sends late, no row is written or even locked by it, in every way
// he can have lost the row. The same goes for a rival who saw an owner that is there no more.

// version is the row as it is stored: all its columns, its place, and the transactions that wrote and that locked it.
func (b *bench) version(t *testing.T, id idem.ID) (version string) {
	t.Helper()
	b.get(t, "SELECT coalesce(string_agg(concat_ws(' ', c.ctid, c.xmin, c.xmax, c), ''), 'no row') FROM idem_claims c WHERE id = '"+id.String()+"'", &version)
	return version
}

// content is the row's columns.
func (b *bench) content(t *testing.T, id idem.ID) (content string) {
	t.Helper()
	b.get(t, "SELECT coalesce(string_agg(c::text, ''), 'no row') FROM idem_claims c WHERE id = '"+id.String()+"'", &content)
	return content
}

// losses are the ways in which the owner of c loses its row. The run it had was row's.
var losses = map[string]func(b *bench, t *testing.T, c idem.Claim, row idem.Row){
	"released": func(b *bench, t *testing.T, c idem.Claim, _ idem.Row) { b.let(t, c) },
	"released, and claimed anew": func(b *bench, t *testing.T, c idem.Claim, _ idem.Row) {
		b.let(t, c)
		b.mustOwn(t, rival(c), b.Claim)
	},
	"taken over": func(b *bench, t *testing.T, c idem.Claim, _ idem.Row) { b.lose(t, c) },
	"taken over, and lapsed again": func(b *bench, t *testing.T, c idem.Claim, _ idem.Row) {
		b.lose(t, c)
		b.age(t, c.ID, 2*lease)
	},
	"taken over, and released, and claimed anew": func(b *bench, t *testing.T, c idem.Claim, _ idem.Row) {
		b.let(t, b.lose(t, c))
		b.mustOwn(t, rival(c), b.Claim)
	},
	"taken over, and done": func(b *bench, t *testing.T, c idem.Claim, row idem.Row) {
		if got, err := b.Complete(t.Context(), outcome(b.lose(t, c), row)); err != nil || got.State != idem.StateDone {
			t.Fatal(got.State, err)
		}
	},
	"taken over, and held": func(b *bench, t *testing.T, c idem.Claim, _ idem.Row) {
		next := b.lose(t, c)
		b.age(t, c.ID, 2*lease)
		if got, err := b.HoldLapsed(t.Context(), c.ID, next.Owner); err != nil || got.State != idem.StateUnknown {
			t.Fatal(got.State, err)
		}
	},
	"completed by a person": func(b *bench, t *testing.T, c idem.Claim, _ idem.Row) { b.decided(t, c, idem.ActionComplete) },
	"not happened, as a person says": func(b *bench, t *testing.T, c idem.Claim, _ idem.Row) {
		b.decided(t, c, idem.ActionNotHappened)
	},
	"held by a person while its lease was live": func(b *bench, t *testing.T, c idem.Claim, _ idem.Row) {
		b.decided(t, c, idem.ActionHold)
	},
	"abandoned":          func(b *bench, t *testing.T, c idem.Claim, _ idem.Row) { b.give(t, c, false) },
	"abandoned and held": func(b *bench, t *testing.T, c idem.Claim, _ idem.Row) { b.give(t, c, true) },
	"reclaimed": func(b *bench, t *testing.T, c idem.Claim, _ idem.Row) {
		b.age(t, c.ID, lease+2*ttl)
		next := rival(c)
		next.Fingerprint = random(33)
		b.mustOwn(t, next, func(ctx context.Context, n idem.Claim) (idem.Row, error) { return b.Reclaim(ctx, n, c.Owner) })
	},
}

func (b *bench) mustOwn(t *testing.T, c idem.Claim, step func(context.Context, idem.Claim) (idem.Row, error)) {
	t.Helper()
	if row, err := step(t.Context(), c); err != nil || row.Owner != c.Owner {
		t.Fatalf("the row is in state %d, not the caller's: %v", row.State, err)
	}
}

// lose has another call take over c's row.
func (b *bench) lose(t *testing.T, c idem.Claim) (next idem.Claim) {
	t.Helper()
	b.age(t, c.ID, 2*lease)
	next = rival(c)
	b.mustOwn(t, next, func(ctx context.Context, n idem.Claim) (idem.Row, error) { return b.TakeOver(ctx, n, c.Owner) })
	return next
}

// let has c release its row.
func (b *bench) let(t *testing.T, c idem.Claim) {
	t.Helper()
	if changed, err := b.Release(t.Context(), c.ID, c.Owner); !changed || err != nil {
		t.Fatal("not released: ", err)
	}
}

// give has c abandon its row.
func (b *bench) give(t *testing.T, c idem.Claim, hold bool) {
	t.Helper()
	if changed, err := b.Abandon(t.Context(), idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner(), Hold: hold}); !changed || err != nil {
		t.Fatal("not abandoned: ", err)
	}
}

// endings are what a late owner may still send, and whether he is told that it changed something.
var endings = map[string]func(b *bench, ctx context.Context, c idem.Claim, row idem.Row) (changed bool, err error){
	"complete": func(b *bench, ctx context.Context, c idem.Claim, row idem.Row) (bool, error) {
		got, err := b.Complete(ctx, outcome(c, row))
		return got.Owner == c.Owner, err
	},
	"fail": func(b *bench, ctx context.Context, c idem.Claim, row idem.Row) (bool, error) {
		o := outcome(c, row)
		o.State, o.Code = idem.StateFailed, "declined"
		got, err := b.Complete(ctx, o)
		return got.Owner == c.Owner, err
	},
	"release": func(b *bench, ctx context.Context, c idem.Claim, _ idem.Row) (bool, error) {
		return b.Release(ctx, c.ID, c.Owner)
	},
	"abandon": func(b *bench, ctx context.Context, c idem.Claim, _ idem.Row) (bool, error) {
		return b.Abandon(ctx, idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner(), Lapse: true})
	},
	"hold": func(b *bench, ctx context.Context, c idem.Claim, _ idem.Row) (bool, error) {
		return b.Abandon(ctx, idem.Abandonment{ID: c.ID, Owner: c.Owner, Next: newOwner(), Hold: true})
	},
	"renew": func(b *bench, ctx context.Context, c idem.Claim, _ idem.Row) (bool, error) {
		answers, err := b.Renew(ctx, []idem.Lease{{ID: c.ID, Owner: c.Owner, Lease: lease}})
		return err == nil && answers[0] != idem.RenewalLost, err
	},
	// of a rival, who saw c as the owner
	"take over": func(b *bench, ctx context.Context, c idem.Claim, _ idem.Row) (bool, error) {
		next := rival(c)
		got, err := b.TakeOver(ctx, next, c.Owner)
		return got.Owner == next.Owner, err
	},
	"reclaim": func(b *bench, ctx context.Context, c idem.Claim, _ idem.Row) (bool, error) {
		next := rival(c)
		got, err := b.Reclaim(ctx, next, c.Owner)
		return got.Owner == next.Owner, err
	},
	"hold lapsed": func(b *bench, ctx context.Context, c idem.Claim, _ idem.Row) (bool, error) {
		got, err := b.HoldLapsed(ctx, c.ID, c.Owner)
		return got.Owner == c.Owner, err
	},
}

func TestI5_AFencedOwnerChangesNoRow(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	for loss, happens := range losses {
		for ending, send := range endings {
			outcomes := ending == "complete" || ending == "fail"
			for when, d := range map[string]time.Duration{"at once": 0, "after the lease": 2 * lease, "after the row expired": 2*lease + 2*ttl} {
				if gone := loss == "released"; gone && (outcomes || d != 0) || outcomes && d != 0 {
					continue // an outcome whose row is gone or expired is stored
				}
				t.Run(loss+"/"+ending+"/"+when, func(t *testing.T) {
					c, row := b.won(t)
					happens(b, t, c, row)
					if loss != "released" {
						b.age(t, c.ID, d)
					}
					before := b.version(t, c.ID)
					if changed, err := send(b, t.Context(), c, row); changed || err != nil {
						t.Errorf("changed: %v, %v", changed, err)
					}
					if after := b.version(t, c.ID); after != before {
						t.Errorf("the row was\n%s and is\n%s", before, after)
					}
				})
			}
		}
	}
}

// TestI5_WhatIsSettledStaysForItsOwnerToo: its outcome was given out. That it is written once more as it is, to see it acknowledged,
// changes nothing.
func TestI5_WhatIsSettledStaysForItsOwnerToo(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{})
	for ending, send := range endings {
		if ending == "reclaim" { // allowed, once the row has expired
			continue
		}
		for _, d := range []time.Duration{0, 2 * lease, 2 * ttl} {
			c, row := b.done(t)
			b.age(t, c.ID, d)
			before := b.content(t, c.ID)
			changed, err := send(b, t.Context(), c, row)
			if said := ending == "complete" || ending == "fail" || ending == "hold lapsed"; changed != said || err != nil { // these answer whose the row is
				t.Errorf("%s after %v: %v, %v", ending, d, changed, err)
			}
			if after := b.content(t, c.ID); after != before {
				t.Errorf("%s after %v: the row was\n%s and is\n%s", ending, d, before, after)
			}
		}
	}
}
