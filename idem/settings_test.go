package idem

import (
	"testing"
	"time"
)

// This file is what an Operation means where it says nothing.

func TestOperation_WhatItDoesNotSayIsTheDefault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op   Operation[string]
		want settings
	}{
		{Operation[string]{}, settings{lease: 15 * time.Second, maxWait: 20 * time.Second, renew: true, ttl: 24 * time.Hour, maxAttempts: 10}},
		{
			Operation[string]{Lease: time.Minute, NoRenew: true, TTL: time.Hour, MaxAttempts: 3, Policy: PolicyConflict, Takeover: TakeoverHold},
			// a waiter lives to take over
			settings{lease: time.Minute, maxWait: 65 * time.Second, ttl: time.Hour, maxAttempts: 3, policy: PolicyConflict, takeover: TakeoverHold},
		},
		{
			Operation[string]{MaxWait: time.Second, TTL: Forever},
			settings{lease: 15 * time.Second, maxWait: time.Second, renew: true, ttl: Forever, maxAttempts: 10},
		},
	} {
		c.op.Name = "test.Defaults"
		got, reason := c.op.settings()
		if reason != "" || got.lease != c.want.lease || got.maxWait != c.want.maxWait || got.renew != c.want.renew || got.ttl != c.want.ttl ||
			got.maxAttempts != c.want.maxAttempts || got.policy != c.want.policy || got.takeover != c.want.takeover {
			t.Errorf("%+v means %+v, want %+v (%s)", c.op, got, c.want, reason)
		}
	}
}

// TestClaim_ALapsedOneIsKeptAsEvidenceUnlessItMayRunAgain: nor does one expire whose outcome would be kept for good.
func TestClaim_ALapsedOneIsKeptAsEvidenceUnlessItMayRunAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		takeover Takeover
		ttl      time.Duration
		keep     time.Duration
	}{
		{TakeoverRerun, time.Hour, time.Hour},
		{TakeoverRerun, Forever, 0},
		{TakeoverHold, time.Hour, 0},
		{TakeoverHold, Forever, 0},
	} {
		q := &request{settings: settings{takeover: c.takeover, ttl: c.ttl}}
		if got := q.claim().Keep; got != c.keep {
			t.Errorf("under policy %d with outcomes kept for %v, a lapsed claim is kept for %v, want %v", c.takeover, c.ttl, got, c.keep)
		}
	}
}
