package idemtest

import (
	"fmt"
	"testing"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the frame of the suite for idem.Admin: its groups, and its steps as the rules take them. The rules are in
// conformance_list.go, conformance_decide.go and conformance_audit.go.

// TestAdmin checks that a store keeps every promise of idem.Admin; the Harness's Store must be one. NewHarness is called as by TestStore.
func TestAdmin(t *testing.T, newHarness func(t *testing.T) Harness) {
	for _, g := range adminGroups {
		t.Run(g.name, func(t *testing.T) {
			h := newHarness(t)
			if _, ok := h.Store.(idem.Admin); !ok {
				t.Fatalf("%T is no idem.Admin", h.Store)
			}
			for _, r := range g.rules {
				t.Run(r.name, func(t *testing.T) { r.try(t.Context(), t, h) })
			}
		})
	}
}

var adminGroups = []struct {
	name  string
	rules []rule
}{
	{"list", listRules},
	{"stats", statsRules},
	{"decide", decideRules},
	{"late owners", lateOwnerRules},
	{"sent again", sentAgainRules},
	{"audit", auditRules},
	{"decisions meet", meetRules},
}

func (x *trial) admin() idem.Admin { return x.Store.(idem.Admin) }

func (x *trial) list(f idem.ClaimFilter) idem.ClaimList {
	x.Helper()
	l, err := x.admin().List(x.ctx, f)
	x.must(StepList, err)
	return l
}

// listed is one claim, as people see it.
func (x *trial) listed(id idem.ID) idem.ListedClaim {
	x.Helper()
	l := x.list(idem.ClaimFilter{ID: id.String(), Results: true})
	if len(l.Claims) == 0 {
		return idem.ListedClaim{Row: idem.Row{ID: id}}
	}
	check(x, "claims with one id", len(l.Claims), 1)
	check(x, "id", l.Claims[0].ID, id)
	return l.Claims[0]
}

// decision is one about the row as it is now.
func (x *trial) decision(a idem.Action, id idem.ID) idem.Decision {
	x.Helper()
	row := x.stored(id)
	d := idem.Decision{
		Token: idem.NewToken(), ID: id, Seen: idem.Seen{State: row.State, Owner: row.Owner}, Action: a,
		Force: a == idem.ActionRelease || a == idem.ActionHold, Who: "ann@desk", Why: "looked it up", TTL: ttl,
	}
	if a == idem.ActionComplete {
		d.Result = idem.StoredResult{Codec: "json", Schema: []byte("12345678"), Data: []byte(`{"id":"ch_1"}`)}
	}
	return d
}

// decide carries a decision out.
func (x *trial) decide(d idem.Decision) (e idem.AuditEntry) {
	x.Helper()
	x.must(StepDecide, unlocked(func() (err error) {
		e, err = x.admin().Decide(x.ctx, d)
		return err
	}))
	return e
}

// refused checks that a decision is refused, and that the row is as it was.
func (x *trial) refused(d idem.Decision, kind idem.RefusalKind) {
	x.Helper()
	before := x.Row(x, d.ID)
	_, err := x.admin().Decide(x.ctx, d)
	r, ok := err.(*idem.Refusal) //nolint:errorlint // it is returned as it is
	switch {
	case !ok:
		x.Errorf("%s of a claim that is %s: %v; want a *Refusal", d.Action, x.stored(d.ID).Standing(), err)
	case r.Kind != kind || r.Action != d.Action || r.Standing != x.stored(d.ID).Standing():
		x.Errorf("%s is refused with kind %d (%s), standing %s; want kind %d, standing %s", r.Action, r.Kind, r, r.Standing, kind, x.stored(d.ID).Standing())
	}
	x.still(before)
	check(x, "decisions written down", len(x.audit(idem.AuditFilter{Claim: d.ID})), 0)
}

func (x *trial) audit(f idem.AuditFilter) []idem.AuditEntry {
	x.Helper()
	entries, err := x.admin().Audit(x.ctx, f)
	x.must(StepAudit, err)
	return entries
}

// apart is a claim of an operation of its own.
func (x *trial) apart(operation string) idem.Claim {
	c := x.fresh()
	c.Ref.Operation = operation
	c.ID = idem.RowID(c.Ref)
	return c
}

// ownOperation is a name that nothing else in the store begins with.
func ownOperation() string { return fmt.Sprintf("example.com/op%x.Payments.Charge", random(8)) }

// standing makes a claim that stands so, of the operation.
func (x *trial) standing(operation string, s idem.Standing) idem.Claim {
	x.Helper()
	c := x.apart(operation)
	row := x.claim(c)
	late := func() { x.Age(x, c.ID, lease+time.Minute) }
	switch s {
	case idem.StandingRunning:
	case idem.StandingLapsed:
		late()
	case idem.StandingUnknown:
		late()
		x.hold(c.ID, c.Owner)
	case idem.StandingDone:
		x.complete(done(c, row))
	case idem.StandingFailed:
		x.complete(failed(c, row))
	case idem.StandingNotHappened:
		late()
		x.decide(x.decision(idem.ActionNotHappened, c.ID))
	default:
		x.Fatalf("nothing stands %s", s)
	}
	check(x, "standing", x.stored(c.ID).Standing(), s)
	return c
}

// standings are those that a row can have.
var standings = []idem.Standing{
	idem.StandingRunning, idem.StandingLapsed, idem.StandingNotHappened, idem.StandingUnknown, idem.StandingDone, idem.StandingFailed,
}
