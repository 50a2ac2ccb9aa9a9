package claims

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file lists and counts claims, and what was decided about them.

// ListWish is what is asked for, as it was typed.
type ListWish struct {
	States    string // comma-separated; empty: all
	Operation string // a name, or how names begin, with * behind it
	Scope     *string
	Older     string // a duration
	After     string // a cursor
	Limit     int
}

// Standings are the states that can be asked for.
func Standings() []string {
	return []string{"running", "lapsed", "not-happened", "unknown", "done", "failed"}
}

// filter is the wish as the store takes it.
func (w ListWish) filter() (f idem.ClaimFilter, err error) {
	for s := range strings.SplitSeq(w.States, ",") {
		if s == "" {
			continue
		}
		if !slices.Contains(Standings(), s) {
			return f, usage("there is no state %s; -state takes some of %s", s, strings.Join(Standings(), ","))
		}
		f.Standings = append(f.Standings, idem.Standing(s))
	}
	f.Operation, f.Prefix = strings.CutSuffix(w.Operation, "*")
	f.Scope, f.Limit = w.Scope, w.Limit
	if w.Older != "" {
		if f.OlderThan, err = duration(w.Older); err != nil || f.OlderThan <= 0 {
			return f, usage("-older takes a time as in 10m, 36h or 7d, not %s", w.Older)
		}
	}
	if w.Limit < 1 {
		return f, usage("-limit takes a number from 1 on")
	}
	if w.After != "" {
		us, id, _ := strings.Cut(w.After, ":")
		n, err := strconv.ParseInt(us, 10, 64)
		at, _, ok := idem.ClaimFilter{ID: id}.IDs()
		if err != nil || !ok || len(id) != 36 {
			return f, usage("-after takes what an earlier list has printed for it")
		}
		f.After = idem.ClaimCursor{ClaimedAt: time.UnixMicro(n).UTC(), ID: at}
	}
	return f, nil
}

// duration is time.ParseDuration with days.
func duration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 15)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(text)
}

// List prints the claims that fit.
func (d *Desk) List(ctx context.Context, w ListWish) error {
	f, err := w.filter()
	if err != nil {
		return err
	}
	l, err := d.Admin.List(ctx, f)
	if err != nil {
		return err
	}
	next := ""
	if l.More {
		next = fmt.Sprintf("%d:%s", l.Next().ClaimedAt.UnixMicro(), l.Next().ID)
	}
	if d.JSON {
		for _, c := range l.Claims {
			d.say(d.claimLine(c, l.Now, nil))
		}
		if next != "" {
			d.say(moreLine{Version: jsonVersion, Kind: "more", After: next})
		}
		return nil
	}
	if len(l.Claims) == 0 {
		fmt.Fprintln(d.Err, "no claim fits")
		return nil
	}
	head := []string{"ID", "STATE", "AGE", "ATTEMPT", "OPERATION", "SCOPE", "ORIGIN"}
	if d.Keys {
		head = append(head, "KEY")
	}
	rows := [][]string{head}
	for _, c := range l.Claims {
		row := []string{short(c.ID), state(c), age(l.Now.Sub(c.ClaimedAt)), strconv.Itoa(c.Attempt), c.Ref.Operation, c.Ref.Scope, c.Origin}
		if d.Keys {
			row = append(row, c.Ref.Key)
		}
		rows = append(rows, row)
	}
	d.table(rows)
	if next != "" {
		fmt.Fprintf(d.Err, "there are more: add -after %s\n", next)
	}
	return nil
}

// Stats prints how many claims there are.
func (d *Desk) Stats(ctx context.Context) error {
	s, err := d.Admin.Stats(ctx)
	if err != nil {
		return err
	}
	if d.JSON {
		for _, g := range s.Groups {
			d.say(groupLine{
				Version: jsonVersion, Kind: "group", Operation: g.Operation, State: string(g.Standing), Count: g.Count, Expired: g.Expired,
				Oldest: instant(g.Oldest), ResultBytes: g.ResultBytes,
			})
		}
		d.say(statsLine{Version: jsonVersion, Kind: "stats", Bytes: s.Bytes, At: instant(s.Now)})
		return nil
	}
	rows := [][]string{{"OPERATION", "STATE", "COUNT", "EXPIRED", "OLDEST", "RESULTS"}}
	all := 0
	for _, g := range s.Groups {
		all += g.Count
		rows = append(rows, []string{
			g.Operation, string(g.Standing), strconv.Itoa(g.Count), strconv.Itoa(g.Expired), age(s.Now.Sub(g.Oldest)), size(g.ResultBytes),
		})
	}
	d.table(rows)
	fmt.Fprintf(d.Out, "%s, %s in the database\n", claimsOf(all), size(s.Bytes))
	return nil
}

// AuditWish is which decisions are asked for.
type AuditWish struct {
	Name      Name // empty: of any claim
	Operation string
	Limit     int
}

// Audit prints what was decided, the last decision in front.
func (d *Desk) Audit(ctx context.Context, w AuditWish) error {
	f := idem.AuditFilter{Operation: w.Operation, Limit: w.Limit}
	if w.Limit < 1 {
		return usage("-limit takes a number from 1 on")
	}
	if w.Name.ID != "" { // the claim may be gone, so the whole id will do
		first, last, ok := idem.ClaimFilter{ID: trimHash(w.Name.ID)}.IDs()
		switch {
		case ok && first == last:
			f.Claim = first
		default:
			l, err := d.find(ctx, w.Name, false)
			if err != nil {
				return err
			}
			f.Claim = l.Claims[0].ID
		}
	}
	entries, err := d.Admin.Audit(ctx, f)
	if err != nil {
		return err
	}
	if d.JSON {
		for _, e := range entries {
			d.say(d.decisionLine(e))
		}
		return nil
	}
	if len(entries) == 0 {
		fmt.Fprintln(d.Err, "nothing was decided")
		return nil
	}
	rows := [][]string{{"AT", "ID", "DECISION", "FROM", "TO", "WHO", "WHY"}}
	for _, e := range entries {
		rows = append(rows, []string{instant(e.At), e.Claim.String(), decisionWord(e), string(e.Before), string(e.After), e.Who, e.Why})
	}
	d.table(rows)
	return nil
}

func decisionWord(e idem.AuditEntry) string {
	if e.Force {
		return string(e.Action) + ", forced"
	}
	return string(e.Action)
}
