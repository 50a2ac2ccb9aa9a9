package postgres

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres/internal/db"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// This file is the store's side for people: what they see of claims, and what they have decided. See idem.Admin.

var _ idem.Admin = (*Store)(nil)

// listed is how many claims or decisions are listed where nobody says how many.
const listed = 100

// List returns the claims that fit the filter. It needs no more than version 1 of the schema. See idem.Admin.
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
		FirstID: uuid(first), LastID: uuid(last), Operation: f.Operation, Prefix: f.Prefix, OlderUs: micros(f.OlderThan), Results: f.Results,
		Standings: []string{}, Most: int64(limit) + 1, AfterID: uuid(f.After.ID),
	}
	for _, standing := range f.Standings {
		p.Standings = append(p.Standings, string(standing))
	}
	if f.Scope != nil {
		p.Scope = pgtype.Text{String: *f.Scope, Valid: true}
	}
	if f.After != (idem.ClaimCursor{}) {
		p.AfterUs = pgtype.Int8{Int64: f.After.ClaimedAt.UnixMicro(), Valid: true}
	}
	var rows []db.ListClaimsRow
	var now int64
	err := s.transact(ctx, func(ctx context.Context, q db.DBTX) (err error) {
		rows, err = s.db.ListClaims(ctx, q, p)
		return err
	}, s.now(&now))
	if err != nil {
		return idem.ClaimList{}, err
	}
	l := idem.ClaimList{Now: time.UnixMicro(now).UTC(), More: len(rows) > limit}
	for _, r := range rows[:min(len(rows), limit)] {
		l.Claims = append(l.Claims, listedClaim(r))
	}
	return l, nil
}

func (s *Store) now(us *int64) query {
	return func(ctx context.Context, q db.DBTX) (err error) {
		*us, err = s.db.Now(ctx, q)
		return err
	}
}

func listedClaim(r db.ListClaimsRow) idem.ListedClaim {
	c := idem.ListedClaim{Size: int(r.Size), Row: row(db.ReadRow{
		ID: r.ID, Owner: r.Owner, Fence: r.Fence, ClaimedAt: r.ClaimedAt, CompletedAt: r.CompletedAt, ExpiresAt: r.ExpiresAt,
		Attempt: r.Attempt, Lapses: r.Lapses, State: r.State, Abandoned: r.Abandoned, Fingerprint: r.Fingerprint,
		Operation: r.Operation, Scope: r.Scope, Key: r.Key, Origin: r.Origin, Codec: r.Codec, SchemaHash: r.SchemaHash,
		ErrorCode: r.ErrorCode, Result: r.Result, Lapsed: r.Lapsed, Expired: r.Expired, LeaseLeftUs: r.LeaseLeftUs,
	})}
	if c.State == idem.StateRunning {
		c.LeaseUntil = instant(r.LeaseUntil)
	}
	return c
}

// Stats counts claims; Bytes is what the table and its index take on disk. It needs no more than version 1 of the schema. See idem.Admin.
func (s *Store) Stats(ctx context.Context) (idem.ClaimStats, error) {
	var groups []db.CountClaimsRow
	var stats idem.ClaimStats
	var now int64
	err := s.transact(
		ctx,
		func(ctx context.Context, q db.DBTX) (err error) {
			groups, err = s.db.CountClaims(ctx, q)
			return err
		},
		func(ctx context.Context, q db.DBTX) (err error) {
			stats.Bytes, err = s.db.Size(ctx, q)
			return err
		},
		s.now(&now),
	)
	if err != nil {
		return idem.ClaimStats{}, err
	}
	stats.Now = time.UnixMicro(now).UTC()
	for _, g := range groups {
		stats.Groups = append(stats.Groups, idem.ClaimGroup{
			Operation: g.Operation, Standing: idem.Standing(g.Standing), Count: int(g.Claims), Expired: int(g.Expired),
			Oldest: time.UnixMicro(g.OldestUs).UTC(), ResultBytes: g.ResultBytes,
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
		Claim: pgtype.UUID{Bytes: f.Claim, Valid: f.Claim != idem.ID{}}, Operation: f.Operation, Most: int64(limit), BeforeToken: uuid(f.After.Token),
	}
	if f.After != (idem.AuditCursor{}) {
		p.BeforeUs = pgtype.Int8{Int64: f.After.At.UnixMicro(), Valid: true}
	}
	err = s.transact(ctx, func(ctx context.Context, q db.DBTX) error {
		rows, err := s.db.ListAudit(ctx, q, p)
		entries = nil
		for _, r := range rows {
			entries = append(entries, auditEntry(r))
		}
		return err
	})
	if err != nil {
		return nil, auditFailed(err)
	}
	return entries, nil
}

func auditEntry(r db.IdemAudit) idem.AuditEntry {
	return idem.AuditEntry{
		Token: r.Token.Bytes, At: instant(r.At), Who: r.Who, Why: r.Why, Action: idem.Action(r.Action), Force: r.Force,
		Claim: r.Claim.Bytes, Ref: ref(r.Operation, r.Scope, r.Key), Before: idem.Standing(r.Before), After: idem.Standing(r.After),
		Owner: r.Owner.Bytes, Attempt: int(r.Attempt), Codec: r.Codec.String,
	}
}

// auditFailed says of a table that is missing or barred which one it is: calls need none but the claims'.
func auditFailed(err error) error {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	e, _ := errors.AsType[*idem.StoreError](err)
	switch {
	case !ok || e == nil:
	case pg.Code == "42P01" || pg.Code == "42703":
		schema := &SchemaError{Problem: "the table idem_audit, which decisions of people are written down in, is missing or older than this program", Err: pg}
		e.Reason, e.Err = schema.Error(), schema
	case pg.Code == "42501":
		e.Reason = "this user may not use the tables idem_claims and idem_audit (SQLSTATE 42501)"
	}
	return err
}
