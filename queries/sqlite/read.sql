-- name: Read :one
-- Read is a row, with what only the clock of the database can say about it.
SELECT r.id, r.owner, r.fence, r.claimed_at, r.completed_at, r.expires_at, r.attempt, r.lapses, r.state, r.abandoned,
       r.fingerprint, r.operation, r.scope, r.key, r.origin, r.codec, r.schema_hash, r.error_code, r.result,
       CAST(r.state = 1 AND r.lease_until <= c.now AS INTEGER) AS lapsed,
       CAST(coalesce(r.state IN (2, 3) AND r.expires_at <= c.now OR r.state = 1 AND r.lease_until + r.keep <= c.now, 0) AS INTEGER) AS expired,
       CAST(CASE WHEN r.state = 1 THEN max(0, r.lease_until - c.now) ELSE 0 END AS INTEGER) AS lease_left
FROM idem_claims r, idem_clock c
WHERE r.id = sqlc.arg(id);

-- name: ReadMany :many
-- ReadMany is Read for several rows, in any order.
SELECT r.id, r.owner, r.fence, r.claimed_at, r.completed_at, r.expires_at, r.attempt, r.lapses, r.state, r.abandoned,
       r.fingerprint, r.operation, r.scope, r.key, r.origin, r.codec, r.schema_hash, r.error_code, r.result,
       CAST(r.state = 1 AND r.lease_until <= c.now AS INTEGER) AS lapsed,
       CAST(coalesce(r.state IN (2, 3) AND r.expires_at <= c.now OR r.state = 1 AND r.lease_until + r.keep <= c.now, 0) AS INTEGER) AS expired,
       CAST(CASE WHEN r.state = 1 THEN max(0, r.lease_until - c.now) ELSE 0 END AS INTEGER) AS lease_left
FROM idem_claims r, idem_clock c
WHERE r.id IN (sqlc.slice('ids'));

-- name: Held :one
-- Held reports whether a row is an owner's and has no outcome.
SELECT EXISTS (SELECT 1 FROM idem_claims WHERE id = sqlc.arg(id) AND owner = sqlc.arg(owner) AND state IN (1, 4));
