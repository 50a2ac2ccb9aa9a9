package idem

import (
	"context"
	"crypto/sha256"
	"sync/atomic"
	"time"
)

// This file is what travels in contexts: out to the caller, what became of its call (Info); in to the method, the claim it
// runs under (Run).

// Info says what became of the caller's call. It is filled when the call returns; it stays empty when that was before a detached method.
type Info struct {
	Replayed bool // the result was stored by an earlier call
	// Recovered: Call.Recover found it, which means that an earlier run had had its effect; the method did not run.
	Recovered bool
	// Stored: the outcome this call returned is stored, so a retry gets the same. False after an error of the method that released the
	// claim, and after a success that could not be stored (yet).
	Stored      bool
	Attempt     int       // of the run whose outcome this is, from 1; above 1 after take-overs
	CompletedAt time.Time // by the store's clock, also where the row says only that there was a result; zero when not even that is stored
	ExpiresAt   time.Time // likewise; zero, too, when it is kept for good
}

type infoKey struct{}

// WithInfo returns a context whose next keyed call fills the Info. One context for one call at a time.
func WithInfo(ctx context.Context) (context.Context, *Info) {
	i := new(Info)
	return context.WithValue(ctx, infoKey{}, i), i
}

// Run is the claim a method runs under, and Call.Recover before it.
type Run struct {
	Operation string
	Attempt   int   // from 1; above 1: an earlier run lapsed, and may have had its effect; always so in Call.Recover
	Fence     int64 // grows with every new owner of the row, for systems that refuse what is older
	// DownstreamKey is what to hand on as idempotency key, say to a payment provider. It is derived from the row's id and
	// the fingerprint: the same over take-overs and reruns with the same arguments, another for corrected ones. It has the form of a UUID.
	DownstreamKey string

	id    ID
	outer *Run
	ended *atomic.Bool // the method has returned; its context may live on in what it started
}

type runKey struct{}

// FromContext finds the claim of the innermost running method, in the context that method got.
func FromContext(ctx context.Context) (Run, bool) {
	r, ok := ctx.Value(runKey{}).(*Run)
	if !ok {
		return Run{}, false
	}
	return *r, true
}

// methodContext is ctx for the method: with its claim, without the caller's Info and key, which were for this call alone.
func methodContext(ctx context.Context, r *Run) context.Context {
	r.outer, _ = ctx.Value(runKey{}).(*Run)
	ctx = context.WithValue(ctx, runKey{}, r)
	if ctx.Value(infoKey{}) != nil {
		ctx = context.WithValue(ctx, infoKey{}, (*Info)(nil))
	}
	if ctx.Value(contextKey{}) != nil {
		ctx = context.WithValue(ctx, contextKey{}, Key{})
	}
	return ctx
}

// reentrant reports whether ctx belongs to a method that runs under the claim of id, however far out.
func reentrant(ctx context.Context, id ID) bool {
	r, _ := ctx.Value(runKey{}).(*Run)
	for ; r != nil; r = r.outer {
		if r.id == id && !r.ended.Load() {
			return true
		}
	}
	return false
}

// downstreamKey is the first 16 bytes of SHA-256 over the byte 2, the row's id and the fingerprint, as a version 8 UUID (RFC 9562).
func downstreamKey(id ID, fingerprint []byte) string {
	sum := sha256.Sum256(append(append([]byte{2}, id[:]...), fingerprint...))
	b := [16]byte(sum[:16])
	b[6] = b[6]&0x0f | 0x80
	b[8] = b[8]&0x3f | 0x80
	return uuidText(b)
}
