-- name: Complete :execrows
-- Complete stores an outcome.
--
-- This and the other ways to end a run compare the owner and do not test the lease: an owner who is late and was not
-- replaced has a true result.
UPDATE idem_claims
SET state = sqlc.arg(state), abandoned = 0, keep = NULL, completed_at = (SELECT now FROM idem_clock),
    expires_at = coalesce((SELECT now FROM idem_clock) + CAST(sqlc.narg(ttl) AS INTEGER), 9223372036854775807),
    codec = sqlc.arg(codec), schema_hash = sqlc.arg(schema_hash), error_code = sqlc.narg(error_code), result = sqlc.arg(result)
WHERE id = sqlc.arg(id) AND owner = sqlc.arg(owner) AND state IN (1, 4);

-- name: InsertCompleted :execrows
-- InsertCompleted stores the outcome of a run whose row is gone.
INSERT INTO idem_claims (id, owner, fence, lease_until, claimed_at, completed_at, expires_at, attempt, lapses, state, abandoned,
                         fingerprint, operation, scope, key, origin, codec, schema_hash, error_code, result)
SELECT sqlc.arg(id), sqlc.arg(owner), CAST(sqlc.arg(fence) AS INTEGER), c.now, c.now, c.now,
       coalesce(c.now + CAST(sqlc.narg(ttl) AS INTEGER), 9223372036854775807),
       CAST(sqlc.arg(attempt) AS INTEGER), 0, CAST(sqlc.arg(state) AS INTEGER), 0,
       sqlc.arg(fingerprint), sqlc.arg(operation), sqlc.arg(scope), sqlc.narg('key'), sqlc.narg(origin),
       sqlc.arg(codec), sqlc.arg(schema_hash), sqlc.narg(error_code), sqlc.arg(result)
FROM idem_clock c
WHERE true
ON CONFLICT (id) DO NOTHING;

-- name: Release :execrows
-- Release removes the claim of a run that is known to have had no effect. Its owner knows, also when somebody held it as unknown.
DELETE FROM idem_claims WHERE id = sqlc.arg(id) AND owner = sqlc.arg(owner) AND state IN (1, 4);

-- name: Abandon :execrows
-- Abandon ends the lease of a run that may have had an effect. It replaces the owner, so that a renewal still on its way
-- does not revive the row. With expire the run is known to have had none, and the row only stays in the way of an insert that is
-- still to come.
UPDATE idem_claims
SET owner = sqlc.arg(next), lease_until = (SELECT now FROM idem_clock),
    keep = CASE WHEN CAST(sqlc.arg(expire) AS INTEGER) THEN 0 ELSE keep END,
    lapses = lapses + CAST(sqlc.arg(lapse) AS INTEGER),
    state = CASE WHEN CAST(sqlc.arg(hold) AS INTEGER) THEN 4 WHEN CAST(sqlc.arg(expire) AS INTEGER) THEN 1 ELSE state END,
    abandoned = (state = 1 OR CAST(sqlc.arg(expire) AS INTEGER)) AND NOT CAST(sqlc.arg(hold) AS INTEGER)
WHERE id = sqlc.arg(id) AND owner = sqlc.arg(owner) AND state IN (1, 4);

-- name: Owned :one
-- Owned reports whether the row is an owner's: after Abandon, whether it was abandoned, now or by the same step sent before.
SELECT EXISTS (SELECT 1 FROM idem_claims WHERE id = sqlc.arg(id) AND owner = sqlc.arg(owner));

-- name: Renew :execrows
-- Renew extends a lease, a lapsed one too, and puts a row that was held as unknown back to running.
UPDATE idem_claims SET lease_until = (SELECT now FROM idem_clock) + CAST(sqlc.arg(lease) AS INTEGER), state = 1
WHERE id = sqlc.arg(id) AND owner = sqlc.arg(owner) AND state IN (1, 4);
