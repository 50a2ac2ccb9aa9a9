-- name: Read :one
-- Read is a row, with what only the database's clock can say about it. It is always a statement of its own: the one that lost a
-- claim has a snapshot in which the winner's row is not there yet.
SELECT id, owner, fence, claimed_at, completed_at, expires_at, attempt, lapses, state, abandoned,
       fingerprint, operation, scope, key, origin, codec, schema_hash, error_code, result,
       (state = 1 AND lease_until <= clock_timestamp())::boolean AS lapsed,
       coalesce(state IN (2, 3) AND expires_at <= clock_timestamp()
                OR state = 1 AND lease_until + keep <= clock_timestamp(), false)::boolean AS expired,
       CASE WHEN state = 1 THEN greatest(0, extract(epoch FROM lease_until - clock_timestamp()) * 1000000) ELSE 0 END::bigint AS lease_left_us
FROM idem_claims
WHERE id = sqlc.arg(id);

-- name: ReadMany :many
-- ReadMany is Read for several rows, in any order.
SELECT id, owner, fence, claimed_at, completed_at, expires_at, attempt, lapses, state, abandoned,
       fingerprint, operation, scope, key, origin, codec, schema_hash, error_code, result,
       (state = 1 AND lease_until <= clock_timestamp())::boolean AS lapsed,
       coalesce(state IN (2, 3) AND expires_at <= clock_timestamp()
                OR state = 1 AND lease_until + keep <= clock_timestamp(), false)::boolean AS expired,
       CASE WHEN state = 1 THEN greatest(0, extract(epoch FROM lease_until - clock_timestamp()) * 1000000) ELSE 0 END::bigint AS lease_left_us
FROM idem_claims
WHERE id = ANY (sqlc.arg(ids)::uuid[]);
