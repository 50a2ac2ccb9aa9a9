package postgres

import (
	"context"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/postgres/internal/db"
)

// This file carries out what people decide. A decision is one statement, which changes the row and writes that down, and two that say what
// came of it: what is written down under its token, and the row.

// Decide carries a decision out, if the claim is still as it was seen. It needs version 2 of the schema. See idem.Admin.
func (s *Store) Decide(ctx context.Context, d idem.Decision) (idem.AuditEntry, error) {
	if err := d.Check(); err != nil {
		return idem.AuditEntry{}, err
	}
	var decided []db.IdemAudit
	var row idem.Row
	err := s.transact(
		ctx,
		s.db.WaitAWhile,
		s.deciding(d),
		func(ctx context.Context, q db.DBTX) (err error) {
			decided, err = s.db.Decided(ctx, q, uuid(d.Token))
			return err
		},
		s.readInto(&row, d.ID),
	)
	switch {
	case err != nil:
		return idem.AuditEntry{}, auditFailed(err)
	case len(decided) > 0:
		return auditEntry(decided[0]), nil
	}
	if refusal := d.Refuses(row); refusal != nil {
		return idem.AuditEntry{}, refusal
	}
	// it would be carried out now: the row has just become what it is
	return idem.AuditEntry{}, &idem.StoreError{Reason: "the row changed under this decision", Temporary: true, NotApplied: true}
}

// deciding is the statement that carries the decision out; it does nothing where the row is not, or not any more, as it must be.
func (s *Store) deciding(d idem.Decision) query {
	token, id, seen, state := uuid(d.Token), uuid(d.ID), uuid(d.Seen.Owner), int16(d.Seen.State)
	switch d.Action {
	case idem.ActionComplete:
		r := d.Result
		return func(ctx context.Context, q db.DBTX) error {
			return s.db.DecideComplete(ctx, q, db.DecideCompleteParams{
				Token: token, ID: id, Seen: seen, SeenState: state, Who: d.Who, Why: d.Why, Force: d.Force,
				TtlUs: ttl(d.Keep()), Codec: text(r.Codec), SchemaHash: notNull(r.Schema), Result: notNull(r.Data),
			})
		}
	case idem.ActionNotHappened:
		return func(ctx context.Context, q db.DBTX) error {
			return s.db.DecideNotHappened(ctx, q, db.DecideNotHappenedParams{
				Token: token, ID: id, Seen: seen, SeenState: state, Who: d.Who, Why: d.Why, Force: d.Force, KeepUs: ttl(d.Keep()),
			})
		}
	case idem.ActionHold:
		return func(ctx context.Context, q db.DBTX) error {
			return s.db.DecideHold(ctx, q, db.DecideHoldParams{Token: token, ID: id, Seen: seen, SeenState: state, Who: d.Who, Why: d.Why, Force: d.Force})
		}
	default:
		return func(ctx context.Context, q db.DBTX) error {
			return s.db.DecideRelease(ctx, q, db.DecideReleaseParams{Token: token, ID: id, Seen: seen, SeenState: state, Who: d.Who, Why: d.Why, Force: d.Force})
		}
	}
}
