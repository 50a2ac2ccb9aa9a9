package idemtest

import (
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the rules of List and Stats: who looks sees what is there, and each claim once.

var listRules = []rule{
	{"claims are listed with how they stand, the first one claimed in front", func(x *trial) {
		operation := ownOperation()
		var want []idem.ID
		for i, s := range standings {
			c := x.standing(operation, s)
			x.Age(x, c.ID, time.Duration(i)*time.Second)
			want = append(want, c.ID)
		}
		l := x.list(idem.ClaimFilter{Operation: operation})
		check(x, "more", l.More, false)
		check(x, "claims", len(l.Claims), len(want))
		for i, c := range l.Claims {
			check(x, "in order", i == 0 || !c.ClaimedAt.Before(l.Claims[i-1].ClaimedAt), true)
			at := slices.Index(want, c.ID)
			if at < 0 {
				x.Fatalf("a claim that nobody made")
			}
			check(x, "standing", c.Standing(), standings[at])
			check(x, "claimed before now", c.ClaimedAt.After(l.Now), false)
			running := c.State == idem.StateRunning
			check(x, "has a lease", !c.LeaseUntil.IsZero(), running)
			if running {
				check(x, "lease is live", c.LeaseUntil.After(l.Now), c.Standing() == idem.StandingRunning)
			}
		}
	}},
	{"a claim is listed as it is read, its result only when asked for", func(x *trial) {
		operation := ownOperation()
		c := x.apart(operation)
		o := done(c, x.claim(c))
		x.complete(o)
		row := x.stored(c.ID)
		for _, results := range []bool{false, true} {
			got := x.list(idem.ClaimFilter{Operation: operation, Results: results}).Claims
			if len(got) != 1 {
				x.Fatalf("%d claims", len(got))
			}
			check(x, "size", got[0].Size, len(o.Result))
			if !results {
				check(x, "has a result", got[0].Result != nil, false)
				got[0].Result = o.Result
			}
			x.isOutcome(got[0].Row, o)
			x.unchanged(row, got[0].Row)
			x.isRef(got[0].Ref, c.Ref)
			check(x, "origin", got[0].Origin, c.Origin)
			check(x, "expires at", got[0].ExpiresAt, row.ExpiresAt)
		}
	}},
	{"each standing can be asked for, and several", func(x *trial) {
		operation := ownOperation()
		for _, s := range standings {
			x.standing(operation, s)
		}
		for i, s := range standings {
			l := x.list(idem.ClaimFilter{Operation: operation, Standings: []idem.Standing{s}})
			if len(l.Claims) != 1 || l.Claims[0].Standing() != s {
				x.Errorf("asked for %s, got %d claims: %v", s, len(l.Claims), l.Claims)
			}
			l = x.list(idem.ClaimFilter{Operation: operation, Standings: []idem.Standing{s, standings[(i+1)%len(standings)]}})
			check(x, "claims of two standings", len(l.Claims), 2)
		}
	}},
	{"operations are asked for by name, or by how it begins; nothing in a name is a wildcard", func(x *trial) {
		own := ownOperation()
		for _, name := range []string{own, own + "_%", own + "_%x", own + "_ax", strings.ToUpper(own)} {
			x.standing(name, idem.StandingRunning)
		}
		count := func(f idem.ClaimFilter) int { return len(x.list(f).Claims) }
		check(x, "by name", count(idem.ClaimFilter{Operation: own}), 1)
		check(x, "by name with wildcards", count(idem.ClaimFilter{Operation: own + "_%"}), 1)
		check(x, "by beginning", count(idem.ClaimFilter{Operation: own, Prefix: true}), 4)
		check(x, "by beginning with wildcards", count(idem.ClaimFilter{Operation: own + "_%", Prefix: true}), 2)
		check(x, "by what is none", count(idem.ClaimFilter{Operation: own[:len(own)-1]}), 0)
	}},
	{"scopes are asked for, the empty one too", func(x *trial) {
		own := ownOperation()
		for _, scope := range []string{"", "a", "a", "b"} {
			c := x.apart(own)
			c.Ref.Scope = scope
			c.ID = idem.RowID(c.Ref)
			x.claim(c)
		}
		for scope, want := range map[string]int{"": 1, "a": 2, "b": 1, "c": 0} {
			check(x, "claims of scope "+scope, len(x.list(idem.ClaimFilter{Operation: own, Scope: &scope}).Claims), want)
		}
		check(x, "claims of any scope", len(x.list(idem.ClaimFilter{Operation: own}).Claims), 4)
	}},
	{"old ones are asked for by the time since their claim", func(x *trial) {
		own := ownOperation()
		old := x.standing(own, idem.StandingRunning)
		x.standing(own, idem.StandingRunning)
		x.Age(x, old.ID, 10*time.Minute)
		for d, want := range map[time.Duration]int{0: 2, time.Minute: 1, 11 * time.Minute: 0} {
			check(x, "claims older than "+d.String(), len(x.list(idem.ClaimFilter{Operation: own, OlderThan: d}).Claims), want)
		}
	}},
	{"a claim is found by how its id begins", func(x *trial) {
		c := x.standing(ownOperation(), idem.StandingUnknown)
		text := c.ID.String()
		for _, part := range []string{text, strings.ReplaceAll(text, "-", ""), text[:13], text[:7], strings.ToUpper(text)} {
			l := x.list(idem.ClaimFilter{ID: part})
			check(x, "claims that begin so", len(l.Claims), 1)
		}
		other := c.ID
		other[15]++
		check(x, "claims of another id", len(x.list(idem.ClaimFilter{ID: other.String()}).Claims), 0)
		for _, wrong := range []string{"x", text + "0", "%"} {
			if _, err := x.admin().List(x.ctx, idem.ClaimFilter{ID: wrong}); err == nil {
				x.Errorf("%q is taken for the beginning of an id", wrong)
			}
		}
	}},
	{"a list in parts has each claim once, also while others are made", func(x *trial) {
		own := ownOperation()
		made := map[idem.ID]bool{}
		for i := range 7 {
			c := x.standing(own, idem.StandingRunning)
			x.Age(x, c.ID, time.Duration(100-i/2)*time.Second)
			made[c.ID] = true
		}
		f := idem.ClaimFilter{Operation: own, Limit: 2}
		var last idem.ListedClaim
		for part := 0; ; part++ {
			l := x.list(f)
			for _, c := range l.Claims {
				check(x, "order", c.ClaimedAt.Before(last.ClaimedAt), false)
				check(x, "listed the first time", made[c.ID], true)
				delete(made, c.ID)
				last = c
			}
			if !l.More {
				break
			}
			check(x, "claims in a part", len(l.Claims), 2)
			if part == 0 {
				made[x.standing(own, idem.StandingRunning).ID] = true // it goes to the end
			}
			f.After = l.Next()
		}
		check(x, "claims that were left out", len(made), 0)
	}},
}

var statsRules = []rule{
	{"claims are counted by operation and standing", func(x *trial) {
		one, two := ownOperation(), ownOperation()
		for _, s := range standings {
			x.standing(one, s)
		}
		old := x.standing(two, idem.StandingDone)
		x.standing(two, idem.StandingDone)
		x.Age(x, old.ID, ttl+time.Hour)
		stats, err := x.admin().Stats(x.ctx)
		x.must(StepStats, err)
		for i, g := range stats.Groups {
			if i > 0 && g.Operation < stats.Groups[i-1].Operation {
				x.Errorf("%s stands behind %s", g.Operation, stats.Groups[i-1].Operation)
			}
			switch g.Operation {
			case one:
				check(x, "count of "+string(g.Standing), g.Count, 1)
				check(x, "expired ones", g.Expired, 0)
				settled := g.Standing == idem.StandingDone || g.Standing == idem.StandingFailed
				check(x, "has results", g.ResultBytes > 0, settled)
			case two:
				check(x, "standing", g.Standing, idem.StandingDone)
				check(x, "count", g.Count, 2)
				check(x, "expired", g.Expired, 1)
				x.within("oldest", stats.Now.Sub(g.Oldest), ttl+time.Hour, ttl+time.Hour+patience)
			}
		}
		groups := 0
		for _, g := range stats.Groups {
			if g.Operation == one || g.Operation == two {
				groups++
			}
		}
		check(x, "groups", groups, len(standings)+1)
		check(x, "bytes", stats.Bytes > 0, true)
	}},
}
