-- name: Reown :execrows
-- Reown gives a row to a new owner of the same call. A transaction in which the old one has stored an outcome, and whose commit was not
-- answered, has the row locked: when this is done, that is either committed, and this has changed nothing, or it never will be.
UPDATE idem_claims
SET owner = sqlc.arg(owner), fence = nextval('idem_fence_seq'), state = 1,
    lease_until = clock_timestamp() + sqlc.arg(lease_us)::bigint * interval '1 microsecond', claimed_at = clock_timestamp()
WHERE id = sqlc.arg(id) AND owner = sqlc.arg(seen) AND state IN (1, 4);

-- name: InsertSettled :one
-- InsertSettled stores the outcome of a run that claimed nothing. Where another transaction is just inserting the row, it waits for it no longer
-- than a commit should take. Without an answer there is a row.
INSERT INTO idem_claims (id, owner, fence, lease_until, claimed_at, completed_at, expires_at, attempt, lapses, state, abandoned,
                         fingerprint, operation, scope, key, origin, codec, schema_hash, error_code, result)
SELECT sqlc.arg(id), sqlc.arg(owner), nextval('idem_fence_seq'), clock_timestamp(), clock_timestamp(), clock_timestamp(),
       coalesce(clock_timestamp() + sqlc.narg(ttl_us)::bigint * interval '1 microsecond', 'infinity'),
       1, 0, sqlc.arg(state), false,
       sqlc.arg(fingerprint), sqlc.arg(operation), sqlc.arg(scope), sqlc.narg('key'), sqlc.narg(origin),
       sqlc.arg(codec), sqlc.arg(schema_hash), sqlc.narg(error_code), sqlc.arg(result)
WHERE NOT EXISTS (SELECT FROM idem_claims c WHERE c.id = sqlc.arg(id)) AND set_config('lock_timeout', '1s', true) <> ''
ON CONFLICT (id) DO NOTHING
RETURNING fence, claimed_at, completed_at, expires_at;

-- name: EnterJoined :one
-- EnterJoined notes the lock_timeout of a caller's transaction for LeaveJoined, and says how isolated it is.
SELECT current_setting('transaction_isolation')::text WHERE set_config('idem.lock_timeout', current_setting('lock_timeout'), true) IS NOT NULL;

-- name: LeaveJoined :exec
-- LeaveJoined gives a caller's transaction its lock_timeout back.
SELECT set_config('lock_timeout', current_setting('idem.lock_timeout'), true);
