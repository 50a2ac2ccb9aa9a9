package idem

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"
)

// This file is what a person can decide about a claim, and when. The rule is one for all stores: Refuses. What it comes down to: what was
// seen must still be so, a call that may be alive is never run beside, and an outcome is never replaced by another.

// Action is what a decision does to a claim.
type Action string

// The actions. Those that end a claim replace its owner, so that a run of the claim that comes back late can't undo them.
const (
	// ActionComplete: it happened, and this is its result. Callers get it as if the run had stored it. For lapsed and unknown claims.
	ActionComplete Action = "complete"
	// ActionNotHappened: it did not happen. The next call with the same arguments runs, as one more attempt; other arguments are still
	// refused. For lapsed and unknown claims. Lapses count anew from here, and after the TTL the key may be used for anything.
	ActionNotHappened Action = "not-happened"
	// ActionHold: nobody runs it again until somebody decides. A lapsed claim keeps its owner, who may still settle it. With Force a
	// live one is taken away from its run, whose context ends, and which can't settle it any more.
	ActionHold Action = "hold"
	// ActionRelease: the row is deleted, with its arguments and outcome; the next call runs, whatever its arguments, as if it were the
	// first. It needs Force. For all claims but live ones: those are held first.
	ActionRelease Action = "release"
)

// Token is the random id of one decision.
type Token [16]byte

// NewToken makes one.
func NewToken() (t Token) {
	_, _ = rand.Read(t[:]) // never fails
	return t
}

// Seen is what somebody saw of a claim when he decided.
type Seen struct {
	State State
	Owner Owner
}

// Decision is what somebody decides about one claim.
type Decision struct {
	// Token tells this decision from others when it is sent again; NewToken makes one. It is also the owner that the claim gets.
	Token  Token
	ID     ID
	Seen   Seen // anything else is refused
	Action Action
	Force  bool
	Who    string // 1 to 255 bytes
	Why    string // 1 to 1,000 bytes; not a place for keys and results
	// TTL is how long the outcome is kept, or how long the key stays bound to its arguments after ActionNotHappened; 0: 24h. See Forever.
	TTL time.Duration
	// Result is what ActionComplete stores; ResultOf makes one.
	Result StoredResult
}

// StoredResult is a result as it is stored.
type StoredResult struct {
	Codec  string
	Schema []byte // hash of the shape; empty: unknown, so that whatever decodes is read
	Data   []byte
}

// ResultOf encodes a result as a call of op would, with its codec. Ref is that of the claim, and whole: an encrypting codec binds the result
// to it. Where the store leaves keys out of its rows, fill the key in.
func ResultOf[T any](op *Operation[T], ref Ref, result T) (StoredResult, error) {
	if ref.Operation != op.Name || ref.Key == "" {
		return StoredResult{}, &Error{Kind: ErrBadOperation, Operation: op.Name, Reason: "a result is for a claim of this operation, whose key has to be known"}
	}
	v := newValue(op, Call[T]{}, ref)
	if reason := v.checkCodec(); reason != "" {
		return StoredResult{}, &Error{Kind: ErrBadOperation, Operation: op.Name, Reason: reason}
	}
	v.result = result
	enc, err := v.encode()
	if err != nil {
		return StoredResult{}, fmt.Errorf("idem: the result can't be encoded: %w", err)
	}
	return StoredResult{Codec: enc.codec, Schema: enc.schema, Data: enc.data}, nil
}

// maxDecisions is how often Decide sends a decision that was not answered.
const maxDecisions = 5

// Decide sends a decision until it is answered, a few times at most, so that a lost answer does not leave open whether it counts. A missing
// Token is made. Where even that fails, the error is a *StoreError, and sending the decision again with the Token of the entry that is
// returned tells.
func Decide(ctx context.Context, a Admin, d Decision) (AuditEntry, error) {
	if d.Token == (Token{}) {
		d.Token = NewToken()
	}
	doubt := false
	for n := 0; ; n++ {
		entry, err := decideOnce(ctx, a, d)
		s, ok := errors.AsType[*StoreError](err)
		switch {
		case !ok:
		case !s.NotApplied:
			doubt = true
		case doubt: // this time certainly not; but an earlier time, perhaps
			doubtful := *s
			doubtful.NotApplied = false
			err = &doubtful
		}
		if !ok || !s.Temporary || n+1 == maxDecisions || pause(ctx, backoff(n)) != nil {
			if err != nil {
				entry = AuditEntry{Token: d.Token}
			}
			return entry, err
		}
	}
}

// decisionLimit is how long one sending of a decision may take: a connection that nobody answers on must not keep it from being sent again.
const decisionLimit = 15 * time.Second

func decideOnce(ctx context.Context, a Admin, d Decision) (AuditEntry, error) {
	ctx, cancel := context.WithTimeout(ctx, decisionLimit)
	defer cancel()
	return a.Decide(ctx, d)
}

// Check says what is wrong with the decision itself, as a *StoreError; nil: nothing. It is for stores.
func (d Decision) Check() error {
	reason := ""
	switch d.Action {
	case ActionComplete, ActionNotHappened, ActionHold, ActionRelease:
	default:
		reason = "a decision is to complete, not-happened, hold or release"
	}
	switch r := d.Result; {
	case reason != "":
	case d.Token == (Token{}):
		reason = "a decision needs a token"
	case d.Who == "" || len(d.Who) > 255 || !printable(d.Who):
		reason = "who decides must have 1 to 255 bytes of UTF-8 without control characters"
	case d.Why == "" || len(d.Why) > 1000 || !printable(d.Why):
		reason = "why it is decided must have 1 to 1,000 bytes of UTF-8 without control characters"
	case d.TTL < 0:
		reason = "the time to keep an outcome can't be negative"
	case d.Action != ActionComplete && (r.Codec != "" || len(r.Data) > 0):
		reason = "only a decision to complete has a result"
	case d.Action == ActionComplete && (r.Codec == "" || len(r.Codec) > 255 || !printable(r.Codec) || len(r.Schema) > 64):
		reason = "a result needs the name of its codec, 1 to 255 bytes of UTF-8 without control characters, and a hash of at most 64 bytes"
	case d.Action == ActionComplete && (r.Codec == codecVoid || r.Codec == codecNone) && len(r.Data) > 0:
		reason = "codec " + r.Codec + " stores no bytes"
	}
	if reason == "" {
		return nil
	}
	return &StoreError{Reason: reason, NotApplied: true}
}

// Keep is the decision's TTL, or the default. It is for stores.
func (d Decision) Keep() time.Duration {
	if d.TTL == 0 {
		return defaultTTL
	}
	return d.TTL
}

// RefusalKind is why a decision is refused.
type RefusalKind uint8

// The kinds of refusals.
const (
	RefusedGone    RefusalKind = iota + 1 // there is no such claim
	RefusedChanged                        // the claim is not as it was seen: somebody was faster
	RefusedLive                           // its lease is live: somebody is on it. It can only be held, by force
	RefusedSettled                        // it has an outcome, which can't be replaced
	RefusedAlready                        // it stands so already
	RefusedForce                          // it needs Force
)

// Refusal is a decision that was not carried out, because of how the claim stands. Nothing was changed or written down.
type Refusal struct {
	Kind     RefusalKind
	Action   Action
	Standing Standing // of the claim, now
}

// Error says why.
func (r *Refusal) Error() string {
	switch r.Kind {
	case RefusedGone:
		return "there is no such claim any more"
	case RefusedChanged:
		return fmt.Sprintf("the claim has changed since it was looked at: it is %s now", r.Standing)
	case RefusedLive:
		return "the claim's lease is live: a call is on it, and another must not run beside it"
	case RefusedSettled:
		return fmt.Sprintf("the claim is %s, and its outcome can't be replaced", r.Standing)
	case RefusedAlready:
		return fmt.Sprintf("the claim is %s already", r.Standing)
	default:
		return fmt.Sprintf("to %s a claim that is %s needs force", r.Action, r.Standing)
	}
}

// Refuses says why the row, as it is, refuses the decision; nil: it does not. It is for stores, which must test the same in the
// statement that changes the row.
func (d Decision) Refuses(row Row) *Refusal {
	standing := row.Standing()
	refuse := func(k RefusalKind) *Refusal { return &Refusal{Kind: k, Action: d.Action, Standing: standing} }
	switch {
	case standing == StandingAbsent:
		return refuse(RefusedGone)
	case row.State != d.Seen.State || row.Owner != d.Seen.Owner:
		return refuse(RefusedChanged)
	case standing == StandingRunning && d.Action != ActionHold:
		return refuse(RefusedLive)
	case row.settled() && d.Action != ActionRelease:
		return refuse(RefusedSettled)
	case standing == StandingUnknown && d.Action == ActionHold, standing == StandingNotHappened && d.Action == ActionNotHappened:
		return refuse(RefusedAlready)
	case (standing == StandingRunning || d.Action == ActionRelease) && !d.Force:
		return refuse(RefusedForce)
	default:
		return nil
	}
}

// Becomes is how the claim stands when the decision is carried out. It is for stores.
func (d Decision) Becomes() Standing {
	switch d.Action {
	case ActionComplete:
		return StandingDone
	case ActionNotHappened:
		return StandingNotHappened
	case ActionHold:
		return StandingUnknown
	default:
		return StandingAbsent
	}
}
