package idemtest

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the store's side for people: idem.Admin.

// List is documented at idem.Admin.
func (s *Store) List(ctx context.Context, f idem.ClaimFilter) (idem.ClaimList, error) {
	return do(ctx, s, StepList, nil, func() (list idem.ClaimList, err error) {
		first, last, ok := f.IDs()
		if !ok || f.Limit < 0 || f.OlderThan < 0 {
			return list, refused("impossible filter")
		}
		list.Now = stamp(s.now())
		for _, r := range s.rows {
			c := s.listed(r, f.Results)
			if bytes.Compare(c.ID[:], first[:]) >= 0 && bytes.Compare(c.ID[:], last[:]) <= 0 && fits(c, f, list.Now) {
				list.Claims = append(list.Claims, c)
			}
		}
		slices.SortFunc(list.Claims, func(a, b idem.ListedClaim) int { return byClaim(a, b.ClaimedAt, b.ID) })
		if limit := cmp.Or(f.Limit, 100); len(list.Claims) > limit {
			list.Claims, list.More = list.Claims[:limit], true
		}
		return list, nil
	})
}

func (s *Store) listed(r *row, result bool) idem.ListedClaim {
	c := idem.ListedClaim{Row: s.view(r.ID), Size: len(r.Result)}
	if !result {
		c.Result = nil
	}
	if c.State == idem.StateRunning {
		c.LeaseUntil = stamp(r.leaseUntil)
	}
	return c
}

func fits(c idem.ListedClaim, f idem.ClaimFilter, now time.Time) bool {
	switch {
	case len(f.Standings) > 0 && !slices.Contains(f.Standings, c.Standing()),
		f.Operation != "" && c.Ref.Operation != f.Operation && !(f.Prefix && strings.HasPrefix(c.Ref.Operation, f.Operation)),
		f.Scope != nil && c.Ref.Scope != *f.Scope,
		f.OlderThan > 0 && c.ClaimedAt.After(now.Add(-f.OlderThan)):
		return false
	}
	return f.After == (idem.ClaimCursor{}) || byClaim(c, f.After.ClaimedAt, f.After.ID) > 0
}

// byClaim orders claims by the time they were claimed at.
func byClaim(c idem.ListedClaim, at time.Time, id idem.ID) int {
	return cmp.Or(c.ClaimedAt.Compare(at), bytes.Compare(c.ID[:], id[:]))
}

// Stats is documented at idem.Admin.
func (s *Store) Stats(ctx context.Context) (idem.ClaimStats, error) {
	return do(ctx, s, StepStats, nil, func() (stats idem.ClaimStats, err error) {
		stats.Now = stamp(s.now())
		type key struct {
			operation string
			standing  idem.Standing
		}
		groups := map[key]*idem.ClaimGroup{}
		for id := range s.rows {
			row := s.view(id)
			k := key{row.Ref.Operation, row.Standing()}
			g := groups[k]
			if g == nil {
				g = &idem.ClaimGroup{Operation: k.operation, Standing: k.standing, Oldest: row.ClaimedAt}
				groups[k] = g
			}
			g.Count++
			g.ResultBytes += int64(len(row.Result))
			stats.Bytes += int64(len(row.Result))
			if row.ClaimedAt.Before(g.Oldest) {
				g.Oldest = row.ClaimedAt
			}
			if row.Expired {
				g.Expired++
			}
		}
		for _, g := range groups {
			stats.Groups = append(stats.Groups, *g)
		}
		slices.SortFunc(stats.Groups, func(a, b idem.ClaimGroup) int {
			return cmp.Or(strings.Compare(a.Operation, b.Operation), strings.Compare(string(a.Standing), string(b.Standing)))
		})
		return stats, nil
	})
}

// Decide is documented at idem.Admin.
func (s *Store) Decide(ctx context.Context, d idem.Decision) (idem.AuditEntry, error) {
	d.Result.Schema, d.Result.Data = bytes.Clone(d.Result.Schema), bytes.Clone(d.Result.Data)
	return do(ctx, s, StepDecide, []idem.ID{d.ID}, func() (idem.AuditEntry, error) {
		if err := d.Check(); err != nil {
			return idem.AuditEntry{}, err
		}
		if i := slices.IndexFunc(s.audit, func(e idem.AuditEntry) bool { return e.Token == d.Token }); i >= 0 {
			return s.audit[i], nil
		}
		row := s.view(d.ID)
		if refusal := d.Refuses(row); refusal != nil {
			return idem.AuditEntry{}, refusal
		}
		e := idem.AuditEntry{
			Token: d.Token, At: stamp(s.now()), Who: d.Who, Why: d.Why, Action: d.Action, Force: d.Force, Claim: d.ID, Ref: row.Ref,
			Before: row.Standing(), After: d.Becomes(), Owner: row.Owner, Attempt: row.Attempt, Codec: d.Result.Codec,
		}
		s.audit = append(s.audit, e)
		s.decide(d, s.rows[d.ID])
		return e, nil
	})
}

// decide changes the row.
func (s *Store) decide(d idem.Decision, r *row) {
	now := s.now()
	switch d.Action {
	case idem.ActionComplete:
		r.Owner = idem.Owner(d.Token)
		s.complete(r, idem.Outcome{State: idem.StateDone, TTL: d.Keep(), Codec: d.Result.Codec, Schema: d.Result.Schema, Result: d.Result.Data})
	case idem.ActionNotHappened:
		r.Owner, r.State, r.Abandoned, r.Lapses, r.leaseUntil, r.keep = idem.Owner{}, idem.StateRunning, true, 0, now, 0
		if d.Keep() != idem.Forever {
			r.keep = d.Keep()
		}
	case idem.ActionHold:
		if !r.lapsed(now) {
			r.Owner = idem.Owner(d.Token)
		}
		r.State, r.Abandoned = idem.StateUnknown, false
	case idem.ActionRelease:
		delete(s.rows, d.ID)
	}
}

// Audit is documented at idem.Admin.
func (s *Store) Audit(ctx context.Context, f idem.AuditFilter) ([]idem.AuditEntry, error) {
	return do(ctx, s, StepAudit, nil, func() ([]idem.AuditEntry, error) {
		if f.Limit < 0 {
			return nil, refused("impossible filter")
		}
		var found []idem.AuditEntry
		for _, e := range s.audit {
			if (f.Claim == idem.ID{} || e.Claim == f.Claim) && (f.Operation == "" || e.Ref.Operation == f.Operation) &&
				(f.After == idem.AuditCursor{} || byDecision(e, f.After.At, f.After.Token) > 0) {
				found = append(found, e)
			}
		}
		slices.SortFunc(found, func(a, b idem.AuditEntry) int { return byDecision(a, b.At, b.Token) })
		return found[:min(len(found), cmp.Or(f.Limit, 100))], nil
	})
}

// byDecision orders decisions, the last one in front.
func byDecision(e idem.AuditEntry, at time.Time, token idem.Token) int {
	return cmp.Or(at.Compare(e.At), bytes.Compare(token[:], e.Token[:]))
}
