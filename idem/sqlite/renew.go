package sqlite

import (
	"context"
	"errors"
	"time"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/sqlite/internal/db"
)

// This file renews leases. A lock is on the whole file here, and somebody's is nothing unusual: each commit takes one for the time the disk
// takes. So a renewal waits its turn, but not for long, and a lease that was not reached is not lost.

// longestTurn is the longest that a renewal waits for its turn. It is asked for again soon after.
const longestTurn = 500 * time.Millisecond

// Renew extends leases. See idem.Store.
func (s *Store) Renew(ctx context.Context, leases []idem.Lease) ([]idem.Renewal, error) {
	answers := make([]idem.Renewal, len(leases))
	if len(leases) == 0 {
		return answers, nil
	}
	turn := longestTurn
	for _, l := range leases {
		turn = min(turn, max(time.Millisecond, l.Lease/10))
	}
	err := s.writeWithin(ctx, turn, func(ctx context.Context, q *db.Queries) error {
		return renew(ctx, q, leases, answers)
	})
	if err == nil || ctx.Err() != nil || !errors.Is(err, errLocked) {
		return answersUnless(err, answers)
	}
	err = s.read(ctx, func(ctx context.Context, q *db.Queries) error {
		return lookAtLocked(ctx, q, leases, answers)
	})
	return answersUnless(err, answers)
}

func answersUnless(err error, answers []idem.Renewal) ([]idem.Renewal, error) {
	if err != nil {
		return nil, err
	}
	return answers, nil
}

func renew(ctx context.Context, q *db.Queries, leases []idem.Lease, answers []idem.Renewal) error {
	for i, l := range leases {
		n, err := q.Renew(ctx, db.RenewParams{ID: l.ID[:], Owner: l.Owner[:], Lease: micros(l.Lease)})
		if err != nil {
			return err
		}
		answers[i] = idem.RenewalLost
		if n > 0 {
			answers[i] = idem.RenewalDone
		}
	}
	return nil
}

// lookAtLocked says of leases that could not be renewed which of them are lost all the same.
func lookAtLocked(ctx context.Context, q *db.Queries, leases []idem.Lease, answers []idem.Renewal) error {
	for i, l := range leases {
		held, err := q.Held(ctx, db.HeldParams{ID: l.ID[:], Owner: l.Owner[:]})
		if err != nil {
			return err
		}
		answers[i] = idem.RenewalLost
		if held {
			answers[i] = idem.RenewalLocked
		}
	}
	return nil
}
