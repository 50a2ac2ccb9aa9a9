-- name: ListClaims :many
-- ListClaims is what people see of the claims that fit, the first one claimed in front. It reads the table.
SELECT id, owner, fence, claimed_at, completed_at, expires_at, attempt, lapses, state, abandoned,
       fingerprint, operation, scope, key, origin, codec, schema_hash, error_code, result,
       lapsed, expired, lease_left, lease_until, size
FROM (
    SELECT r.id, r.owner, r.fence, r.claimed_at, r.completed_at, r.expires_at, r.attempt, r.lapses, r.state, r.abandoned,
           r.fingerprint, r.operation, r.scope, r.key, r.origin, r.codec, r.schema_hash, r.error_code,
           CAST(CASE WHEN CAST(sqlc.arg(results) AS INTEGER) THEN r.result END AS BLOB) AS result, CAST(coalesce(length(r.result), 0) AS INTEGER) AS size, r.lease_until,
           CAST(r.state = 1 AND r.lease_until <= n.now AS INTEGER) AS lapsed,
           CAST(coalesce(r.state IN (2, 3) AND r.expires_at <= n.now OR r.state = 1 AND r.lease_until + r.keep <= n.now, 0) AS INTEGER) AS expired,
           CAST(CASE WHEN r.state = 1 THEN max(0, r.lease_until - n.now) ELSE 0 END AS INTEGER) AS lease_left,
           CASE WHEN r.state = 2 THEN 'done' WHEN r.state = 3 THEN 'failed' WHEN r.state = 4 THEN 'unknown'
                WHEN r.lease_until > n.now THEN 'running'
                WHEN r.owner = zeroblob(16) THEN 'not-happened'
                ELSE 'lapsed' END AS standing
    FROM idem_claims r, idem_clock n
    WHERE r.id BETWEEN sqlc.arg(first_id) AND sqlc.arg(last_id)
      AND (CAST(sqlc.arg(operation) AS TEXT) = '' OR r.operation = CAST(sqlc.arg(operation) AS TEXT)
           OR CAST(sqlc.arg(prefix) AS INTEGER) AND substr(r.operation, 1, length(CAST(sqlc.arg(operation) AS TEXT))) = CAST(sqlc.arg(operation) AS TEXT))
      AND (CAST(sqlc.narg(scope) AS TEXT) IS NULL OR r.scope = CAST(sqlc.narg(scope) AS TEXT))
      AND (CAST(sqlc.arg(older) AS INTEGER) = 0 OR r.claimed_at <= n.now - CAST(sqlc.arg(older) AS INTEGER))
) c
WHERE (CAST(sqlc.arg(standings) AS TEXT) = '' OR instr(CAST(sqlc.arg(standings) AS TEXT), ',' || standing || ','))
  AND (CAST(sqlc.arg(after_at) AS INTEGER) = 0 OR claimed_at > CAST(sqlc.arg(after_at) AS INTEGER)
       OR claimed_at = CAST(sqlc.arg(after_at) AS INTEGER) AND id > sqlc.arg(after_id))
ORDER BY claimed_at, id
LIMIT CAST(sqlc.arg(most) AS INTEGER);

-- name: Now :one
-- Now is the clock that decides.
SELECT now FROM idem_clock;

-- name: CountClaims :many
-- CountClaims counts the claims of each operation by how they stand. It reads the table.
SELECT operation, CAST(standing AS TEXT) AS standing, count(*) AS claims, CAST(sum(expired) AS INTEGER) AS expired,
       CAST(min(claimed_at) AS INTEGER) AS oldest, CAST(sum(size) AS INTEGER) AS result_bytes
FROM (
    SELECT r.operation, r.claimed_at, coalesce(length(r.result), 0) AS size,
           coalesce(r.state IN (2, 3) AND r.expires_at <= n.now OR r.state = 1 AND r.lease_until + r.keep <= n.now, 0) AS expired,
           CASE WHEN r.state = 2 THEN 'done' WHEN r.state = 3 THEN 'failed' WHEN r.state = 4 THEN 'unknown'
                WHEN r.lease_until > n.now THEN 'running'
                WHEN r.owner = zeroblob(16) THEN 'not-happened'
                ELSE 'lapsed' END AS standing
    FROM idem_claims r, idem_clock n
) c
GROUP BY operation, standing
ORDER BY operation, standing;

-- name: Size :one
-- Size is what the rows of the claims hold, in bytes. What the file takes is more, and may be other tables' as well.
SELECT CAST(coalesce(sum(
    100 + length(fingerprint) + length(CAST(operation AS BLOB)) + length(CAST(scope AS BLOB)) + coalesce(length(CAST(key AS BLOB)), 0)
    + coalesce(length(CAST(origin AS BLOB)), 0) + coalesce(length(codec), 0) + coalesce(length(schema_hash), 0)
    + coalesce(length(error_code), 0) + coalesce(length(result), 0)), 0) AS INTEGER)
FROM idem_claims;

-- name: DecideComplete :execrows
-- DecideComplete stores the result that somebody found. It and the other decisions come behind a look at the row in the same
-- transaction, which has the write lock and has found the decision to be allowed: nothing can change in between.
UPDATE idem_claims
SET owner = sqlc.arg(token), state = 2, abandoned = 0, keep = NULL, completed_at = (SELECT now FROM idem_clock),
    expires_at = coalesce((SELECT now FROM idem_clock) + CAST(sqlc.narg(ttl) AS INTEGER), 9223372036854775807),
    codec = sqlc.arg(codec), schema_hash = sqlc.arg(schema_hash), error_code = NULL, result = sqlc.arg(result)
WHERE id = sqlc.arg(id) AND owner = sqlc.arg(seen);

-- name: DecideNotHappened :execrows
-- DecideNotHappened makes the claim nobody's, so that the next call may run. The fingerprint stays, and so does the attempt.
UPDATE idem_claims
SET owner = zeroblob(16), state = 1, lease_until = (SELECT now FROM idem_clock), abandoned = 1, lapses = 0, keep = sqlc.narg(keep)
WHERE id = sqlc.arg(id) AND owner = sqlc.arg(seen);

-- name: DecideHold :execrows
-- DecideHold moves a claim to unknown. A lapsed one keeps its owner, whose run may still settle it; a live one is taken away from its run.
UPDATE idem_claims SET owner = sqlc.arg(owner), state = 4, abandoned = 0
WHERE id = sqlc.arg(id) AND owner = sqlc.arg(seen);

-- name: DecideRelease :execrows
-- DecideRelease deletes a claim that no run can be alive of.
DELETE FROM idem_claims WHERE id = sqlc.arg(id) AND owner = sqlc.arg(seen);

-- name: WriteDown :exec
-- WriteDown keeps a decision, by the clock that decides.
INSERT INTO idem_audit (token, at, who, why, action, force, claim, operation, scope, key, before, after, owner, attempt, codec)
SELECT sqlc.arg(token), c.now, sqlc.arg(who), sqlc.arg(why), sqlc.arg(action), CAST(sqlc.arg(force) AS INTEGER), sqlc.arg(claim),
       sqlc.arg(operation), sqlc.arg(scope), sqlc.narg('key'), sqlc.arg(before), sqlc.arg(after), sqlc.arg(owner),
       CAST(sqlc.arg(attempt) AS INTEGER), sqlc.narg(codec)
FROM idem_clock c;

-- name: ConfirmDecision :execrows
-- ConfirmDecision writes down anew what was written down before. See Confirm.
UPDATE idem_audit SET token = token WHERE token = sqlc.arg(token);

-- name: Decided :one
-- Decided is what was written down of a decision.
SELECT token, at, who, why, action, force, claim, operation, scope, key, before, after, owner, attempt, codec
FROM idem_audit WHERE token = sqlc.arg(token);

-- name: ListAudit :many
-- ListAudit is what was decided, the last decision in front.
SELECT token, at, who, why, action, force, claim, operation, scope, key, before, after, owner, attempt, codec
FROM idem_audit
WHERE (CAST(sqlc.arg(any_claim) AS INTEGER) OR claim = sqlc.arg(claim))
  AND (CAST(sqlc.arg(operation) AS TEXT) = '' OR operation = CAST(sqlc.arg(operation) AS TEXT))
  AND (CAST(sqlc.arg(before_at) AS INTEGER) = 0 OR at < CAST(sqlc.arg(before_at) AS INTEGER)
       OR at = CAST(sqlc.arg(before_at) AS INTEGER) AND token < sqlc.arg(before_token))
ORDER BY at DESC, token DESC
LIMIT CAST(sqlc.arg(most) AS INTEGER);
