package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/sqlite/internal/db"
)

// This file is what people see of claims and decisions. See idem.Admin. Nothing here takes a lock that a writer would have to wait for, where
// the journal is a WAL.

var _ idem.Admin = (*Store)(nil)

// listed is how many claims or decisions are listed where nobody says how many.
const listed = 100

// List returns the claims that fit the filter. See idem.Admin.
func (s *Store) List(ctx context.Context, f idem.ClaimFilter) (idem.ClaimList, error) {
	first, last, ok := f.IDs()
	limit := cmp.Or(f.Limit, listed)
	switch {
	case !ok:
		return idem.ClaimList{}, refused("no claim's id begins so: it has at most 32 hexadecimal digits")
	case limit < 0 || f.OlderThan < 0:
		return idem.ClaimList{}, refused("a limit and an age can't be negative")
	}
	p := db.ListClaimsParams{
		FirstID: first[:], LastID: last[:], Operation: f.Operation, Prefix: number(f.Prefix), Older: micros(f.OlderThan), Results: number(f.Results),
		Standings: anyOf(f.Standings), Most: int64(limit) + 1, AfterID: f.After.ID[:],
	}
	if f.Scope != nil {
		p.Scope = sql.NullString{String: *f.Scope, Valid: true}
	}
	if f.After != (idem.ClaimCursor{}) {
		p.AfterAt = f.After.ClaimedAt.UnixMicro()
	}
	var rows []db.ListClaimsRow
	var now int64
	err := s.read(ctx, func(ctx context.Context, q *db.Queries) (err error) {
		if rows, err = q.ListClaims(ctx, p); err != nil {
			return err
		}
		now, err = q.Now(ctx)
		return err
	})
	if err != nil {
		return idem.ClaimList{}, err
	}
	l := idem.ClaimList{Now: time.UnixMicro(now).UTC(), More: len(rows) > limit}
	for _, r := range rows[:min(len(rows), limit)] {
		l.Claims = append(l.Claims, listedClaim(r))
	}
	return l, nil
}

// anyOf is the standings as the query looks for them, each between commas; "" means all.
func anyOf(standings []idem.Standing) string {
	if len(standings) == 0 {
		return ""
	}
	list := ","
	for _, standing := range standings {
		if !strings.Contains(string(standing), ",") { // nothing stands so
			list += string(standing) + ","
		}
	}
	return list
}

func listedClaim(r db.ListClaimsRow) idem.ListedClaim {
	c := idem.ListedClaim{Size: int(r.Size), Row: row(db.ReadRow{
		ID: r.ID, Owner: r.Owner, Fence: r.Fence, ClaimedAt: r.ClaimedAt, CompletedAt: r.CompletedAt, ExpiresAt: r.ExpiresAt,
		Attempt: r.Attempt, Lapses: r.Lapses, State: r.State, Abandoned: r.Abandoned, Fingerprint: r.Fingerprint,
		Operation: r.Operation, Scope: r.Scope, Key: r.Key, Origin: r.Origin, Codec: r.Codec, SchemaHash: r.SchemaHash,
		ErrorCode: r.ErrorCode, Result: r.Result, Lapsed: r.Lapsed, Expired: r.Expired, LeaseLeft: r.LeaseLeft,
	})}
	if c.State == idem.StateRunning {
		c.LeaseUntil = time.UnixMicro(r.LeaseUntil).UTC()
	}
	return c
}

// Stats counts claims. Bytes is what their rows hold; the file takes more, and may have other tables. See idem.Admin.
func (s *Store) Stats(ctx context.Context) (idem.ClaimStats, error) {
	var groups []db.CountClaimsRow
	var size, now int64
	err := s.read(ctx, func(ctx context.Context, q *db.Queries) (err error) {
		if groups, err = q.CountClaims(ctx); err != nil {
			return err
		}
		if size, err = q.Size(ctx); err != nil {
			return err
		}
		now, err = q.Now(ctx)
		return err
	})
	if err != nil {
		return idem.ClaimStats{}, err
	}
	stats := idem.ClaimStats{Bytes: size, Now: time.UnixMicro(now).UTC()}
	for _, g := range groups {
		stats.Groups = append(stats.Groups, idem.ClaimGroup{
			Operation: g.Operation, Standing: idem.Standing(g.Standing), Count: int(g.Claims), Expired: int(g.Expired),
			Oldest: time.UnixMicro(g.Oldest).UTC(), ResultBytes: g.ResultBytes,
		})
	}
	return stats, nil
}

// Audit returns what was decided. See idem.Admin.
func (s *Store) Audit(ctx context.Context, f idem.AuditFilter) (entries []idem.AuditEntry, err error) {
	limit := cmp.Or(f.Limit, listed)
	if limit < 0 {
		return nil, refused("a limit can't be negative")
	}
	p := db.ListAuditParams{
		AnyClaim: number(f.Claim == idem.ID{}), Claim: f.Claim[:], Operation: f.Operation, BeforeToken: f.After.Token[:], Most: int64(limit),
	}
	if f.After != (idem.AuditCursor{}) {
		p.BeforeAt = f.After.At.UnixMicro()
	}
	err = s.read(ctx, func(ctx context.Context, q *db.Queries) error {
		rows, err := q.ListAudit(ctx, p)
		entries = nil
		for _, r := range rows {
			entries = append(entries, auditEntry(r))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// auditEntry is r as people see it. The lengths of ids are the table's to promise.
func auditEntry(r db.IdemAudit) idem.AuditEntry {
	return idem.AuditEntry{
		Token: idem.Token(r.Token), At: time.UnixMicro(r.At).UTC(), Who: r.Who, Why: r.Why, Action: idem.Action(r.Action), Force: r.Force != 0,
		Claim: idem.ID(r.Claim), Ref: idem.Ref{Operation: r.Operation, Scope: r.Scope, Key: r.Key.String},
		Before: idem.Standing(r.Before), After: idem.Standing(r.After),
		Owner: idem.Owner(r.Owner), Attempt: int(r.Attempt), Codec: r.Codec.String,
	}
}
