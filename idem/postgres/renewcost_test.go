package postgres_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is what renewals cost, of which there are more than of anything else: an update that finds no room in its page, or changes an indexed
// column, writes the index anew, and one of a large row may write all of it.

// TestPC6_EveryRenewalOfARunStaysInItsPage is one long run. It is alone, as the next one is.
func TestPC6_EveryRenewalOfARunStaysInItsPage(t *testing.T) {
	b := newBench(t, setup{})
	c, _ := b.won(t)
	page := func() (page string) {
		b.get(t, "SELECT split_part(ctid::text, ',', 1) FROM idem_claims", &page)
		return page
	}
	const renewals = 50
	before := page()
	for range renewals {
		b.renewed(t, c)
		if now := page(); now != before {
			t.Errorf("the row went from page %s to %s", before, now)
		}
	}
	if hot, all := b.updates(t, renewals); hot != renewals || all != renewals {
		t.Errorf("%d of %d renewals left the index alone, want %d of %d", hot, all, renewals, renewals)
	}
}

// TestPC6_RenewalsAndOutcomesStayInTheirPage claims 50 rows, renews each ten times, as those of a busy service would be, and completes them. A full page
// may send a row away now and then. It is alone, because an open transaction anywhere on the server keeps old versions of rows in their pages.
func TestPC6_RenewalsAndOutcomesStayInTheirPage(t *testing.T) {
	b := newBench(t, setup{})
	const rows, rounds = 50, 10
	claims, held := make([]idem.Claim, rows), make([]idem.Row, rows)
	leases := make([]idem.Lease, rows)
	for i := range claims {
		claims[i], held[i] = b.won(t)
		leases[i] = idem.Lease{ID: claims[i].ID, Owner: claims[i].Owner, Lease: lease}
	}
	for range rounds {
		if _, err := b.Renew(t.Context(), leases); err != nil {
			t.Fatal(err)
		}
	}
	hot, updates := b.updates(t, rows*rounds)
	t.Attr("figures", fmt.Sprintf("renewals: %d of %d in their page", hot, updates))
	if hot < updates*9/10 {
		t.Error("fewer than nine in ten renewals stay in their page")
	}
	for i, c := range claims {
		if _, err := b.Complete(t.Context(), outcome(c, held[i])); err != nil {
			t.Fatal(err)
		}
	}
	settled, all := b.updates(t, rows*rounds+rows)
	settled, all = settled-hot, all-updates
	t.Logf("outcomes: %d of %d in their page", settled, all)
	if settled < all/2 {
		t.Error("fewer than half of the outcomes stay in their page")
	}
}

// updates reads the server's counts when they have come to n, which they do when the sessions that made them end.
func (b *bench) updates(t *testing.T, n int) (hot, all int) {
	t.Helper()
	b.DropIdle()
	b.pool.Reset()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		b.get(t, "SELECT n_tup_hot_upd, n_tup_upd FROM pg_stat_user_tables WHERE relname = 'idem_claims'", &hot, &all)
		if all >= n || time.Now().After(deadline) {
			return hot, all
		}
	}
}

// TestPC6_ARenewalWritesLittleWhateverTheRowHoldsOrHeld renews rows whose texts are as long as they may be, one of which had a result of a
// megabyte before it was reclaimed.
func TestPC6_ARenewalWritesLittleWhateverTheRowHoldsOrHeld(t *testing.T) {
	t.Parallel()
	_, b, m := measured(t)
	for _, held := range []int{0, 1 << 20} {
		c := largest()
		row, err := b.Claim(t.Context(), c)
		if err != nil || row.Owner != c.Owner {
			t.Fatalf("not claimed: %v", err)
		}
		if held > 0 {
			o := outcome(c, row)
			o.Result = random(held)
			if _, err := b.Complete(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			b.age(t, c.ID, 2*ttl)
			next := rival(c)
			if row, err = b.Reclaim(t.Context(), next, c.Owner); err != nil || row.Owner != next.Owner {
				t.Fatalf("not reclaimed: %v", err)
			}
			c = next
		}
		const renewals = 50
		renew := func(int) { b.renewed(t, c) }
		renew(0) // connects, and writes the page whole where it is the first since a checkpoint
		cost := m.cost(t, renewals, renew)
		t.Logf("a renewal of a row that held %d bytes: %s", held, cost.String(renewals))
		if limit := int64(600 * renewals); cost.wal > limit || cost.writes != renewals {
			t.Errorf("%d renewals: %+v; at most %d bytes of WAL were expected", renewals, cost, limit)
		}
	}
}

// largest is a claim that is as large as one can be.
func largest() idem.Claim {
	letters := func(n int) string { return strings.Repeat(rand.Text(), n/26+1)[:n] }
	ref := idem.Ref{Operation: letters(1024), Scope: letters(255), Key: letters(255)}
	return idem.Claim{ID: idem.RowID(ref), Ref: ref, Owner: newOwner(), Fingerprint: random(64), Lease: lease, Keep: ttl, Origin: letters(255)}
}
