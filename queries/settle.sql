-- name: Complete :one
-- Complete stores an outcome. Its answer leaves the result out: who sent it knows it.
--
-- This and the other ways to end a run compare the owner and do not test the lease: an owner who is late and was not
-- replaced has a true result.
UPDATE idem_claims
SET state = sqlc.arg(state), abandoned = false, keep = NULL, completed_at = clock_timestamp(),
    expires_at = coalesce(clock_timestamp() + sqlc.narg(ttl_us)::bigint * interval '1 microsecond', 'infinity'),
    codec = sqlc.arg(codec), schema_hash = sqlc.arg(schema_hash), error_code = sqlc.narg(error_code), result = sqlc.arg(result)
WHERE id = sqlc.arg(id) AND owner = sqlc.arg(owner) AND state IN (1, 4)
RETURNING fence, attempt, lapses, fingerprint, operation, scope, key, origin, claimed_at, completed_at, expires_at;

-- name: InsertCompleted :execrows
-- InsertCompleted stores the outcome of a run whose row is gone.
INSERT INTO idem_claims (id, owner, fence, lease_until, claimed_at, completed_at, expires_at, attempt, lapses, state, abandoned,
                         fingerprint, operation, scope, key, origin, codec, schema_hash, error_code, result)
SELECT sqlc.arg(id), sqlc.arg(owner), sqlc.arg(fence), clock_timestamp(), clock_timestamp(), clock_timestamp(),
       coalesce(clock_timestamp() + sqlc.narg(ttl_us)::bigint * interval '1 microsecond', 'infinity'),
       sqlc.arg(attempt), 0, sqlc.arg(state), false,
       sqlc.arg(fingerprint), sqlc.arg(operation), sqlc.arg(scope), sqlc.narg('key'), sqlc.narg(origin),
       sqlc.arg(codec), sqlc.arg(schema_hash), sqlc.narg(error_code), sqlc.arg(result)
WHERE NOT EXISTS (SELECT FROM idem_claims c WHERE c.id = sqlc.arg(id))
ON CONFLICT (id) DO NOTHING;

-- name: Release :execrows
-- Release removes the claim of a run that is known to have had no effect. Its owner knows, also when somebody held it as unknown.
DELETE FROM idem_claims WHERE id = sqlc.arg(id) AND owner = sqlc.arg(owner) AND state IN (1, 4);

-- name: Abandon :execrows
-- Abandon ends the lease of a run that may have had an effect. It replaces the owner, so that a renewal still on its way
-- does not revive the row. With expire the run is known to have had none, and the row only stays in the way of an insert that is
-- still to come.
UPDATE idem_claims
SET owner = sqlc.arg(next), lease_until = clock_timestamp(),
    keep = CASE WHEN sqlc.arg(expire)::boolean THEN interval '0' ELSE keep END,
    lapses = lapses + CASE WHEN sqlc.arg(lapse)::boolean THEN 1 ELSE 0 END,
    state = CASE WHEN sqlc.arg(hold)::boolean THEN 4 WHEN sqlc.arg(expire)::boolean THEN 1 ELSE state END,
    abandoned = (state = 1 OR sqlc.arg(expire)::boolean) AND NOT sqlc.arg(hold)::boolean
WHERE id = sqlc.arg(id) AND owner = sqlc.arg(owner) AND state IN (1, 4);

-- name: Owned :one
-- Owned reports whether the row is an owner's: after Abandon, whether it was abandoned, now or by the same step sent before.
SELECT EXISTS (SELECT FROM idem_claims WHERE id = sqlc.arg(id) AND owner = sqlc.arg(owner));
