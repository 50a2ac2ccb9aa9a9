package sqlite

import (
	"context"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/sqlite/internal/db"
)

// This file carries out what people decide. A decision is one transaction, which has the write lock from its beginning: it looks whether it was
// carried out before, looks at the row, and if that allows it, changes the row and writes that down.

// Decide carries a decision out, if the claim is still as it was seen. See idem.Admin.
func (s *Store) Decide(ctx context.Context, d idem.Decision) (entry idem.AuditEntry, err error) {
	if err := d.Check(); err != nil {
		return idem.AuditEntry{}, err
	}
	var refusal *idem.Refusal
	err = s.write(ctx, func(ctx context.Context, q *db.Queries) error {
		refusal = nil
		before, err := q.ConfirmDecision(ctx, d.Token[:])
		if err == nil && before == 0 {
			refusal, err = s.decide(ctx, q, d)
		}
		if err != nil || refusal != nil {
			return err
		}
		decided, err := q.Decided(ctx, d.Token[:])
		if err == nil {
			entry = auditEntry(decided)
		}
		return err
	})
	switch {
	case err != nil:
		return idem.AuditEntry{}, err
	case refusal != nil:
		return idem.AuditEntry{}, refusal
	default:
		return entry, nil
	}
}

// decide changes the row and writes that down, unless the row refuses it.
func (s *Store) decide(ctx context.Context, q *db.Queries, d idem.Decision) (*idem.Refusal, error) {
	var row idem.Row
	if err := s.readInto(&row, d.ID)(ctx, q); err != nil {
		return nil, err
	}
	if refusal := d.Refuses(row); refusal != nil {
		return refusal, nil
	}
	if err := carryOut(ctx, q, d, row); err != nil {
		return nil, err
	}
	return nil, q.WriteDown(ctx, db.WriteDownParams{
		Token: d.Token[:], Who: d.Who, Why: d.Why, Action: string(d.Action), Force: number(d.Force), Claim: d.ID[:],
		Operation: row.Ref.Operation, Scope: row.Ref.Scope, Key: text(row.Ref.Key), Before: string(row.Standing()), After: string(d.Becomes()),
		Owner: row.Owner[:], Attempt: int64(row.Attempt), Codec: text(d.Result.Codec),
	})
}

// carryOut changes the row, which is as it was read in the same transaction.
func carryOut(ctx context.Context, q *db.Queries, d idem.Decision, row idem.Row) (err error) {
	var changed int64
	id, seen := d.ID[:], row.Owner[:]
	switch d.Action {
	case idem.ActionComplete:
		r := d.Result
		changed, err = q.DecideComplete(ctx, db.DecideCompleteParams{
			ID: id, Seen: seen, Token: d.Token[:], Ttl: ttl(d.Keep()),
			Codec: text(r.Codec), SchemaHash: notNull(r.Schema), Result: notNull(r.Data),
		})
	case idem.ActionNotHappened:
		changed, err = q.DecideNotHappened(ctx, db.DecideNotHappenedParams{ID: id, Seen: seen, Keep: ttl(d.Keep())})
	case idem.ActionHold:
		owner := row.Owner
		if row.Standing() == idem.StandingRunning {
			owner = idem.Owner(d.Token)
		}
		changed, err = q.DecideHold(ctx, db.DecideHoldParams{ID: id, Seen: seen, Owner: owner[:]})
	default:
		changed, err = q.DecideRelease(ctx, db.DecideReleaseParams{ID: id, Seen: seen})
	}
	if err == nil && changed != 1 {
		err = &idem.StoreError{Reason: "the database did not change the row", NotApplied: true}
	}
	return err
}
