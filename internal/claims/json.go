package claims

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is how things are written for programs: one object a line. docs/claims.md promises the form.

// jsonVersion is the version of the form. Kinds and fields may be added to one version; none is taken away or means something else.
const jsonVersion = 1

func (d *Desk) say(line any) {
	e := json.NewEncoder(d.Out)
	e.SetEscapeHTML(false)
	_ = e.Encode(line) // strings and numbers; and who closes standard output hears no more
}

type claimLine struct {
	Version     int             `json:"version"`
	Kind        string          `json:"kind"` // claim
	ID          string          `json:"id"`
	KeyHash     string          `json:"key_hash"` // as errors and events have it
	Operation   string          `json:"operation"`
	Scope       string          `json:"scope,omitempty"`
	Key         string          `json:"key,omitempty"` // where it was asked for
	State       string          `json:"state"`
	Expired     bool            `json:"expired,omitempty"`
	Attempt     int             `json:"attempt"`
	Lapses      int             `json:"lapses"`
	Fence       int64           `json:"fence"`
	Origin      string          `json:"origin,omitempty"`
	ClaimedAt   string          `json:"claimed_at"`
	AgeSeconds  int64           `json:"age_seconds"`
	LeaseUntil  string          `json:"lease_until,omitempty"`
	CompletedAt string          `json:"completed_at,omitempty"`
	ExpiresAt   string          `json:"expires_at,omitempty"`
	Codec       string          `json:"codec,omitempty"`
	Shape       string          `json:"shape,omitempty"`
	ErrorCode   string          `json:"error_code,omitempty"`
	Size        int             `json:"size"`
	Result      json.RawMessage `json:"result,omitempty"` // where it was asked for
}

func (d *Desk) claimLine(c idem.ListedClaim, now time.Time, result json.RawMessage) claimLine {
	l := claimLine{
		Version: jsonVersion, Kind: "claim", ID: c.ID.String(), KeyHash: short(c.ID), Operation: c.Ref.Operation, Scope: c.Ref.Scope,
		State: string(c.Standing()), Expired: c.Expired, Attempt: c.Attempt, Lapses: c.Lapses, Fence: c.Fence, Origin: c.Origin,
		ClaimedAt: instant(c.ClaimedAt), AgeSeconds: int64(max(0, now.Sub(c.ClaimedAt)) / time.Second), LeaseUntil: instant(c.LeaseUntil),
		CompletedAt: instant(c.CompletedAt), ExpiresAt: instant(c.ExpiresAt), Codec: c.Codec, Shape: hex.EncodeToString(c.Schema),
		ErrorCode: c.Code, Size: c.Size, Result: result,
	}
	if d.Keys {
		l.Key = c.Ref.Key
	}
	return l
}

type moreLine struct {
	Version int    `json:"version"`
	Kind    string `json:"kind"` // more
	After   string `json:"after"`
}

type groupLine struct {
	Version     int    `json:"version"`
	Kind        string `json:"kind"` // group
	Operation   string `json:"operation"`
	State       string `json:"state"`
	Count       int    `json:"count"`
	Expired     int    `json:"expired"`
	Oldest      string `json:"oldest"`
	ResultBytes int64  `json:"result_bytes"`
}

type statsLine struct {
	Version int    `json:"version"`
	Kind    string `json:"kind"` // stats
	Bytes   int64  `json:"bytes"`
	At      string `json:"at"`
}

type decisionLine struct {
	Version   int    `json:"version"`
	Kind      string `json:"kind"` // decision
	Token     string `json:"token"`
	At        string `json:"at"`
	Who       string `json:"who"`
	Why       string `json:"why"`
	Action    string `json:"action"`
	Force     bool   `json:"force,omitempty"`
	ID        string `json:"id"`
	KeyHash   string `json:"key_hash"`
	Operation string `json:"operation"`
	Scope     string `json:"scope,omitempty"`
	Key       string `json:"key,omitempty"` // where it was asked for
	Before    string `json:"before"`
	After     string `json:"after"`
	Attempt   int    `json:"attempt"`
	Codec     string `json:"codec,omitempty"`
}

func (d *Desk) decisionLine(e idem.AuditEntry) decisionLine {
	l := decisionLine{
		Version: jsonVersion, Kind: "decision", Token: idem.ID(e.Token).String(), At: instant(e.At), Who: e.Who, Why: e.Why,
		Action: string(e.Action), Force: e.Force, ID: e.Claim.String(), KeyHash: short(e.Claim), Operation: e.Ref.Operation, Scope: e.Ref.Scope,
		Before: string(e.Before), After: string(e.After), Attempt: e.Attempt, Codec: e.Codec,
	}
	if d.Keys {
		l.Key = e.Ref.Key
	}
	return l
}

type sweepLine struct {
	Version int    `json:"version"`
	Kind    string `json:"kind"` // sweep
	Deleted int    `json:"deleted"`
}
