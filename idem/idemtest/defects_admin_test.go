package idemtest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file shows that the suite for idem.Admin bites: stores with one defect each must fail a rule, and every rule must be failed by
// one of them.

// misled is a store with a defect in what it does for people.
type misled struct {
	*Store
	d adminDefect
}

type adminDefect struct {
	name   string
	list   func(s *misled, f *idem.ClaimFilter, ask func() idem.ClaimList) idem.ClaimList
	stats  func(*idem.ClaimStats)
	decide func(s *misled, d idem.Decision, send func(idem.Decision) error) error
	// after a decision was carried out; the store is locked.
	after func(s *Store, d idem.Decision, before row, now *row)
	audit func(s *Store, f *idem.AuditFilter, entries []idem.AuditEntry) []idem.AuditEntry
}

func (m *misled) List(ctx context.Context, f idem.ClaimFilter) (l idem.ClaimList, err error) {
	ask := func() idem.ClaimList {
		l, err = m.Store.List(ctx, f)
		return l
	}
	if m.d.list == nil {
		l = ask()
		return l, err
	}
	l = m.d.list(m, &f, ask)
	return l, err
}

func (m *misled) Stats(ctx context.Context) (idem.ClaimStats, error) {
	stats, err := m.Store.Stats(ctx)
	if m.d.stats != nil {
		m.d.stats(&stats)
	}
	return stats, err
}

func (m *misled) Audit(ctx context.Context, f idem.AuditFilter) ([]idem.AuditEntry, error) {
	if m.d.audit == nil {
		return m.Store.Audit(ctx, f)
	}
	m.d.audit(m.Store, &f, nil)
	entries, err := m.Store.Audit(ctx, f)
	return m.d.audit(m.Store, &idem.AuditFilter{}, entries), err
}

func (m *misled) Decide(ctx context.Context, d idem.Decision) (e idem.AuditEntry, err error) {
	send := func(d idem.Decision) error {
		m.mu.Lock()
		var before row
		if r, ok := m.rows[d.ID]; ok {
			before = *r
		}
		m.mu.Unlock()
		if e, err = m.Store.Decide(ctx, d); err == nil && m.d.after != nil {
			m.mu.Lock()
			m.d.after(m.Store, d, before, m.rows[d.ID])
			m.mu.Unlock()
		}
		return err
	}
	if m.d.decide == nil {
		err = send(d)
		return e, err
	}
	err = m.d.decide(m, d, send)
	return e, err
}

// asSeen is d with what it should have seen.
func (m *misled) asSeen(d idem.Decision) idem.Decision {
	row := m.Row(d.ID)
	d.Seen = idem.Seen{State: row.State, Owner: row.Owner}
	return d
}

// whatever changes what is sent.
func whatever(change func(*misled, idem.Decision) idem.Decision) func(*misled, idem.Decision, func(idem.Decision) error) error {
	return func(m *misled, d idem.Decision, send func(idem.Decision) error) error { return send(change(m, d)) }
}

// filtered changes what is asked for.
func filtered(change func(*idem.ClaimFilter)) func(*misled, *idem.ClaimFilter, func() idem.ClaimList) idem.ClaimList {
	return func(_ *misled, f *idem.ClaimFilter, ask func() idem.ClaimList) idem.ClaimList {
		change(f)
		return ask()
	}
}

// answered changes what is answered.
func answered(change func(*idem.ClaimList)) func(*misled, *idem.ClaimFilter, func() idem.ClaimList) idem.ClaimList {
	return func(_ *misled, _ *idem.ClaimFilter, ask func() idem.ClaimList) idem.ClaimList {
		l := ask()
		change(&l)
		return l
	}
}

// is limits what comes after a decision to one action.
func is(a idem.Action, spoil func(d idem.Decision, before row, now *row)) func(*Store, idem.Decision, row, *row) {
	return func(_ *Store, d idem.Decision, before row, now *row) {
		if d.Action == a && now != nil {
			spoil(d, before, now)
		}
	}
}

func written(change func([]idem.AuditEntry) []idem.AuditEntry) func(*Store, *idem.AuditFilter, []idem.AuditEntry) []idem.AuditEntry {
	return func(_ *Store, _ *idem.AuditFilter, entries []idem.AuditEntry) []idem.AuditEntry {
		if len(entries) == 0 {
			return entries
		}
		return change(entries)
	}
}

var adminDefects = []adminDefect{
	{name: "the list is the wrong way round", list: answered(func(l *idem.ClaimList) { slices.Reverse(l.Claims) })},
	{name: "results are always there", list: filtered(func(f *idem.ClaimFilter) { f.Results = true })},
	{name: "standings are not looked at", list: filtered(func(f *idem.ClaimFilter) { f.Standings = nil })},
	{name: "names are always beginnings", list: filtered(func(f *idem.ClaimFilter) { f.Prefix = true })},
	{name: "scopes are not looked at", list: filtered(func(f *idem.ClaimFilter) { f.Scope = nil })},
	{name: "age is not looked at", list: filtered(func(f *idem.ClaimFilter) { f.OlderThan = 0 })},
	{name: "ids are not looked at", list: filtered(func(f *idem.ClaimFilter) { f.ID = "" })},
	{name: "every part is the first", list: filtered(func(f *idem.ClaimFilter) {
		if f.After != (idem.ClaimCursor{}) {
			f.Limit = 0
		}
		f.After = idem.ClaimCursor{}
	})},
	{name: "expired ones are not counted", stats: func(s *idem.ClaimStats) {
		for i := range s.Groups {
			s.Groups[i].Expired = 0
		}
	}},
	{name: "what was seen does not matter", decide: whatever((*misled).asSeen)},
	{name: "an outcome is overwritten", decide: func(m *misled, d idem.Decision, send func(idem.Decision) error) error {
		m.Edit(d.ID, func(r *idem.Row) {
			if r.State == idem.StateDone && d.Action != idem.ActionRelease && d.Seen.State == idem.StateUnknown {
				r.State = idem.StateUnknown
			}
		})
		return send(d)
	}},
	{name: "force is taken for granted", decide: whatever(func(_ *misled, d idem.Decision) idem.Decision {
		d.Force = true
		return d
	})},
	{name: "a live lease does not matter", decide: func(m *misled, d idem.Decision, send func(idem.Decision) error) error {
		m.Age(d.ID, 2*lease)
		return send(d)
	}},
	{name: "anything may be said", decide: whatever(func(_ *misled, d idem.Decision) idem.Decision {
		if d.Why == "" {
			d.Why = "x"
		}
		return d
	})},
	{name: "the end of the context does not matter", decide: func(m *misled, d idem.Decision, _ func(idem.Decision) error) error {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		_, err := m.Store.Decide(ctx, d)
		return err
	}},
	{name: "a decision sent again is another one", decide: whatever(func(m *misled, d idem.Decision) idem.Decision {
		d.Token = idem.NewToken()
		return m.asSeen(d)
	})},
	{name: "a decision that was refused stays so", decide: func() func(m *misled, d idem.Decision, send func(idem.Decision) error) error {
		refused := map[idem.Token]error{}
		return func(m *misled, d idem.Decision, send func(idem.Decision) error) error {
			m.mu.Lock()
			err := refused[d.Token]
			m.mu.Unlock()
			if err == nil {
				if err = send(d); err != nil {
					m.mu.Lock()
					refused[d.Token] = err
					m.mu.Unlock()
				}
			}
			return err
		}
	}()},
	{name: "a locked row is refused for good", decide: func(m *misled, d idem.Decision, send func(idem.Decision) error) error {
		m.mu.Lock()
		r := m.rows[d.ID]
		locked := r != nil && r.locked != nil
		m.mu.Unlock()
		if locked {
			return &idem.StoreError{Reason: "no"}
		}
		return send(d)
	}},
	{name: "a completed row keeps its owner", after: is(idem.ActionComplete, func(_ idem.Decision, before row, now *row) { now.Owner = before.Owner })},
	{name: "a completed row has no result", after: is(idem.ActionComplete, func(_ idem.Decision, _ row, now *row) { now.Result = nil })},
	{name: "for good is an hour", after: is(idem.ActionComplete, func(_ idem.Decision, _ row, now *row) { now.ExpiresAt = now.CompletedAt.Add(time.Hour) })},
	{name: "what did not happen keeps its owner", after: is(idem.ActionNotHappened, func(_ idem.Decision, before row, now *row) { now.Owner = before.Owner })},
	{name: "what did not happen keeps its lapses", after: is(idem.ActionNotHappened, func(_ idem.Decision, _ row, now *row) { now.Lapses = 1 })},
	{name: "what did not happen binds its key for ever", after: is(idem.ActionNotHappened, func(_ idem.Decision, _ row, now *row) { now.keep = 0 })},
	{name: "a live row that is held keeps its owner", after: is(idem.ActionHold, func(_ idem.Decision, before row, now *row) { now.Owner = before.Owner })},
	{name: "a lapsed row that is held loses its owner", after: is(idem.ActionHold, func(d idem.Decision, _ row, now *row) { now.Owner = idem.Owner(d.Token) })},
	{name: "a released row stays", after: func(s *Store, d idem.Decision, before row, now *row) {
		if d.Action == idem.ActionRelease && now == nil {
			s.rows[d.ID] = &before
		}
	}},
	{name: "a released row leaves an outcome", after: func(s *Store, d idem.Decision, before row, now *row) {
		if d.Action == idem.ActionRelease && now == nil {
			before.Owner, before.State, before.Codec = idem.Owner(d.Token), idem.StateDone, "none"
			s.rows[d.ID] = &before
		}
	}},
	{name: "decisions are forgotten", after: func(s *Store, _ idem.Decision, _ row, _ *row) { s.audit = nil }},
	{name: "decisions are written down twice", after: func(s *Store, d idem.Decision, _ row, _ *row) {
		again := s.audit[len(s.audit)-1]
		again.Token = idem.NewToken()
		s.audit = append(s.audit, again)
	}},
	{name: "why is forgotten", audit: written(func(entries []idem.AuditEntry) []idem.AuditEntry {
		entries[0].Why = ""
		return entries
	})},
	{name: "the first decision stands in front", audit: written(func(entries []idem.AuditEntry) []idem.AuditEntry {
		slices.Reverse(entries)
		return entries
	})},
}

func TestSuite_FailsStoresThatMisleadPeople(t *testing.T) {
	failedOnce := map[string]bool{}
	for _, d := range adminDefects {
		failed := 0
		for _, g := range adminGroups {
			s := NewStore()
			h := harness(s)
			h.Store = &misled{s, d}
			for _, r := range g.rules {
				if verdict := judge(t, h, r); verdict != "" {
					failed++
					failedOnce[g.name+": "+r.name] = true
					if testing.Verbose() {
						t.Logf("%s\n\t%s: %s\n\t%s", d.name, g.name, r.name, verdict)
					}
				}
			}
		}
		if failed == 0 {
			t.Errorf("no rule finds that %s", d.name)
		}
	}
	for _, g := range adminGroups {
		for _, r := range g.rules {
			if name := g.name + ": " + r.name; !failedOnce[name] {
				t.Errorf("nothing fails the rule %q", name)
			}
		}
	}
}
