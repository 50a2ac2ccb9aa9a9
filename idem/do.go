package idem

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// This file is the typed door: Do checks what it is given and makes it a request, the untyped form the rest of the engine
// works on (claim.go, run.go, settle.go). Nothing here talks to the store.

// Do runs c.Run at most once per key: it claims the key, runs the method when the claim is won, stores the result, and returns it; a later
// call with the same key and arguments returns the stored result instead. It returns the method's own errors unchanged, and an *Error for
// everything else:
//
//   - ErrNoKey, ErrBadKey, ErrBadArgument, ErrNoFingerprintKey, ErrReentrant, ErrClosed, ErrBadOperation: refused before anything was claimed
//   - ErrMismatch: the key was used with other arguments
//   - ErrInFlight: another call is running; under PolicyPoll, for longer than MaxWait. Or ctx ended, and a detached method goes on
//   - ErrOutcomeUnknown, ErrResultNotStored, ErrUnreadable: there is an outcome, and it can't be given
//   - ErrLeaseLost: the method succeeded, and another call owns the outcome; see LostResult
//   - ErrStore: the store failed before the method was started
//
// With an error the result is the zero T. When ctx ends before the method is started, the claim is given back and the error satisfies
// errors.Is for ctx's error; while waiting, and while a detached method runs, for ErrInFlight too. Once the method has returned, its outcome is stored whatever becomes of ctx.
func Do[T any](ctx context.Context, e *Engine, op *Operation[T], c Call[T]) (T, error) {
	var zero T
	if c.Run == nil {
		panic("idem: Call.Run is nil")
	}
	q, err := newRequest(ctx, e, op, c)
	if err != nil {
		return zero, err
	}
	v := newValue(op, c, q.ref)
	if reason := v.checkCodec(); reason != "" {
		return zero, &Error{Kind: ErrBadOperation, Operation: op.Name, Reason: reason}
	}
	if err := e.do(ctx, q, v); err != nil {
		return zero, err
	}
	return v.result, nil
}

// request is one call, untyped: what is asked of the store, and how.
type request struct {
	settings
	ref         Ref
	id          ID
	owner       Owner
	fingerprint []byte
	origin      string
	began       time.Time
	info        *Info // never nil
	callers     any   // the caller's transaction, under TxJoin
}

// settings are an Operation's, with the defaults filled in.
type settings struct {
	policy      Policy
	maxWait     time.Duration
	lease       time.Duration
	renew       bool
	ttl         time.Duration
	takeover    Takeover
	maxAttempts int
	detach      bool
	rules       []ErrorRule
	tx          TxMode
}

const (
	defaultLease       = 15 * time.Second
	defaultTTL         = 24 * time.Hour
	defaultMaxAttempts = 10
	minLease           = 100 * time.Millisecond
	waitBeyondLease    = 5 * time.Second
	longest            = 365 * 24 * time.Hour // of a lease or a wait, so that nothing that is added to a time overflows
)

func newRequest[T any](ctx context.Context, e *Engine, op *Operation[T], c Call[T]) (*request, error) {
	q := &request{ref: Ref{Operation: op.Name, Key: c.Key.text}, callers: c.Tx, began: time.Now(), origin: e.config.origin}
	if q.info, _ = ctx.Value(infoKey{}).(*Info); q.info == nil {
		q.info = new(Info)
	}
	*q.info = Info{}
	var reason string
	if q.settings, reason = op.settings(); reason != "" {
		return nil, &Error{Kind: ErrBadOperation, Operation: op.Name, Reason: reason}
	}
	if reason := c.beyond(op); reason != "" {
		return nil, &Error{Kind: ErrBadOperation, Operation: op.Name, Reason: reason}
	}
	if reason := e.checkTx(q.settings, c.Tx); reason != "" {
		return nil, &Error{Kind: ErrBadOperation, Operation: op.Name, Reason: reason}
	}
	if reason, kind := c.Key.check(maxKey); kind != nil {
		return nil, &Error{Kind: kind, Operation: op.Name, Reason: reason}
	}
	if op.Scoped || c.Scope != (Key{}) {
		switch reason, kind := c.Scope.check(maxScope); kind {
		case nil:
			q.ref.Scope = c.Scope.text
		case ErrNoKey: // a missing scope is not "no tenant"
			return nil, &Error{Kind: ErrBadKey, Operation: op.Name, Reason: "its scope is empty"}
		default:
			return nil, &Error{Kind: kind, Operation: op.Name, Reason: "its scope: " + reason}
		}
	}
	q.id = RowID(q.ref)
	if reentrant(ctx, q.id) {
		return nil, q.fail(ErrReentrant, Row{})
	}
	var f Fingerprint
	if c.Args != nil {
		c.Args(&f)
	}
	sum, err := f.sum(e.config.fingerprintKey)
	if err != nil {
		if err == ErrNoFingerprintKey {
			return nil, q.fail(err, Row{})
		}
		bad := q.fail(ErrBadArgument, Row{})
		bad.Reason = err.Error()
		return nil, bad
	}
	q.fingerprint = sum
	q.owner = newOwner()
	return q, nil
}

func newOwner() (o Owner) {
	_, _ = rand.Read(o[:]) // never fails
	return o
}

// settings fills the defaults in; reason says what is out of range.
func (op *Operation[T]) settings() (s settings, reason string) {
	s = settings{
		policy: op.Policy, maxWait: op.MaxWait, lease: op.Lease, renew: !op.NoRenew, ttl: op.TTL,
		takeover: op.Takeover, maxAttempts: op.MaxAttempts, detach: op.Detach, rules: op.Errors, tx: op.Tx,
	}
	switch {
	case op.Name == "" || len(op.Name) > maxOperation || !printable(op.Name):
		return s, fmt.Sprintf("its name must have 1 to %d bytes of UTF-8 without control characters", maxOperation)
	case s.lease != 0 && (s.lease < minLease || s.lease > longest):
		return s, fmt.Sprintf("a lease of %s is out of range; %s to %s", s.lease, minLease, longest)
	case s.maxWait < 0 || s.ttl < 0 || s.maxAttempts < 0:
		return s, "MaxWait, TTL and MaxAttempts can't be negative"
	case s.policy > PolicyConflict || s.takeover > TakeoverHold:
		return s, "its policy or take-over policy is none of this release's"
	}
	if reason = op.beyond(); reason != "" {
		return s, reason
	}
	if s.lease == 0 {
		s.lease = defaultLease
	}
	if s.maxWait == 0 {
		s.maxWait = s.lease + waitBeyondLease
	}
	s.maxWait = min(s.maxWait, longest)
	if s.ttl == 0 {
		s.ttl = defaultTTL
	}
	if s.maxAttempts == 0 {
		s.maxAttempts = defaultMaxAttempts
	}
	return s, ""
}

// printable reports whether text can be stored and shown: UTF-8 without control characters.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// claim is what the request asks of the store.
func (q *request) claim() Claim {
	c := Claim{ID: q.id, Ref: q.ref, Owner: q.owner, Fingerprint: q.fingerprint, Lease: q.lease, Origin: q.origin}
	if q.takeover == TakeoverRerun && q.ttl != Forever {
		c.Keep = q.ttl // else a lapsed claim is evidence that something may have happened, and stays
	}
	return c
}

// fail makes an error of the engine about row.
func (q *request) fail(kind error, row Row) *Error {
	return &Error{
		Kind: kind, Operation: q.ref.Operation, KeyHash: q.id.hash(),
		State: row.State, Attempt: row.Attempt, Since: row.ClaimedAt,
	}
}
