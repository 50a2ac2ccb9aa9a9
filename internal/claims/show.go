package claims

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres"
	"github.com/idemgen/idemgen/internal/lock"
)

// This file shows one claim, with what may be seen of its result.

// ShowWish is what is asked for.
type ShowWish struct {
	Name   Name
	Result bool
	Dir    string // of the module whose idem.lock says what may be seen
}

// Show prints one claim, what was decided about it, and what can be.
func (d *Desk) Show(ctx context.Context, w ShowWish) error {
	l, err := d.find(ctx, w.Name, w.Result)
	if err != nil {
		return err
	}
	c := l.Claims[0]
	var result json.RawMessage
	if w.Result {
		file, err := readLock(w.Dir)
		if err != nil {
			return err
		}
		if result, err = seen(c, file); err != nil {
			return err
		}
	}
	if d.JSON {
		d.say(d.claimLine(c, l.Now, result))
		return nil
	}
	d.describe(d.Out, c, l.Now)
	if result != nil {
		fmt.Fprintf(d.Out, "%s\n", visibleJSON(result))
	}
	entries, err := d.Admin.Audit(ctx, idem.AuditFilter{Claim: c.ID})
	if _, old := errors.AsType[*postgres.SchemaError](err); err != nil && !old { // an older schema has none
		fmt.Fprintf(d.Out, "decided    is not known: %s\n", visible(err.Error()))
	}
	for _, e := range entries {
		fmt.Fprintf(d.Out, "decided    %s ago: %s by %s: %s\n", age(l.Now.Sub(e.At)), decisionWord(e), visible(e.Who), visible(e.Why))
	}
	if next := possible(c); next != "" {
		fmt.Fprintf(d.Out, "next       %s\n", next)
	}
	return nil
}

// describe prints a claim, a fact a line.
func (d *Desk) describe(out io.Writer, c idem.ListedClaim, now time.Time) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%-10s %s\n", name, visible(fmt.Sprintf(format, args...)))
	}
	line("claim", "%s", c.ID)
	line("operation", "%s", c.Ref.Operation)
	if c.Ref.Scope != "" {
		line("scope", "%s", c.Ref.Scope)
	}
	switch {
	case c.Ref.Key == "":
		line("key", "is not stored")
	case d.Keys:
		line("key", "%s", c.Ref.Key)
	default:
		line("key", "is not shown; -keys does")
	}
	line("state", "%s: %s", state(c), meaning(c))
	line("attempt", "%d, of which %d lapsed or panicked", c.Attempt, c.Lapses)
	by := ""
	if c.Origin != "" {
		by = " by " + c.Origin
	}
	line("claimed", "%s ago%s, at %s", age(now.Sub(c.ClaimedAt)), by, instant(c.ClaimedAt))
	switch {
	case c.LeaseUntil.IsZero():
	case c.LeaseUntil.After(now):
		line("lease", "ends in %s unless it is renewed", age(c.LeaseUntil.Sub(now)))
	default:
		line("lease", "ended %s ago", age(now.Sub(c.LeaseUntil)))
	}
	if c.Codec != "" {
		text := fmt.Sprintf("%s in codec %s", size(int64(c.Size)), c.Codec)
		if len(c.Schema) > 0 {
			text += ", shape " + hex.EncodeToString(c.Schema)
		}
		if c.Code != "" {
			text = "error " + c.Code + ", " + text
		}
		line("result", "%s", text)
		line("completed", "%s ago, at %s", age(now.Sub(c.CompletedAt)), instant(c.CompletedAt))
		if c.ExpiresAt.IsZero() {
			line("expires", "never")
		} else {
			line("expires", "at %s", instant(c.ExpiresAt))
		}
	}
}

// possible is what can be decided about a claim.
func possible(c idem.ListedClaim) string {
	switch c.Standing() {
	case idem.StandingRunning:
		return "nothing, while its lease lives; claims hold -force takes it from its run"
	case idem.StandingLapsed, idem.StandingUnknown:
		return "find out whether it happened; then claims complete, or claims not-happened"
	case idem.StandingNotHappened:
		return "the next call runs; should it have happened after all, claims complete"
	}
	return ""
}

// seen is the result, if it may be seen: text of a codec that hides nothing, of an operation that is known to have no secrets.
func seen(c idem.ListedClaim, file *lock.File) (json.RawMessage, error) {
	op := operation(file, c.Ref.Operation)
	switch {
	case c.Codec == "":
		return nil, errors.New("there is no result")
	case c.Codec != "json" || c.State != idem.StateDone:
		return nil, fmt.Errorf("the result is not shown: it is stored by codec %s, and only that of codec json is text that hides nothing", visible(c.Codec))
	case op == nil:
		return nil, errors.New("the result is not shown: it may have secret fields, and no idem.lock here knows the operation; add -C with a folder of its module")
	case len(op.Secrets) > 0:
		return nil, fmt.Errorf("the result is not shown: %s of it is marked as secret", strings.Join(op.Secrets, ", "))
	case parameterised(op.Result.Layout):
		return nil, errors.New("the result is not shown: its type depends on a type argument, which may have secret fields")
	case hex.EncodeToString(c.Schema) != op.Result.Hash:
		return nil, errors.New("the result is not shown: it has another shape than idem.lock knows, and that may have had secret fields")
	case !json.Valid(c.Result):
		return nil, errors.New("the result is not shown: it is no json, though its codec says so")
	}
	return c.Result, nil
}

// visibleJSON is json on one line, with nothing in it that a terminal would act on.
func visibleJSON(data []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return ""
	}
	return visible(b.String())
}
