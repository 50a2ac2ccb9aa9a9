-- name: ListClaims :many
-- ListClaims is what people see of the claims that fit, the first one claimed in front. It reads the table.
SELECT c.id, c.owner, c.fence, c.claimed_at, c.completed_at, c.expires_at, c.attempt, c.lapses, c.state, c.abandoned,
       c.fingerprint, c.operation, c.scope, c.key, c.origin, c.codec, c.schema_hash, c.error_code, c.result,
       c.lapsed, c.expired, c.lease_left_us, c.lease_until, c.size
FROM (
    SELECT id, owner, fence, claimed_at, completed_at, expires_at, attempt, lapses, state, abandoned,
           fingerprint, operation, scope, key, origin, codec, schema_hash, error_code,
           (CASE WHEN sqlc.arg(results)::boolean THEN result END)::bytea AS result, coalesce(octet_length(result), 0)::bigint AS size, lease_until,
           (extract(epoch FROM claimed_at) * 1000000)::bigint AS claimed_us,
           (state = 1 AND lease_until <= clock_timestamp())::boolean AS lapsed,
           coalesce(state IN (2, 3) AND expires_at <= clock_timestamp()
                    OR state = 1 AND lease_until + keep <= clock_timestamp(), false)::boolean AS expired,
           CASE WHEN state = 1 THEN greatest(0, extract(epoch FROM lease_until - clock_timestamp()) * 1000000) ELSE 0 END::bigint AS lease_left_us,
           CASE WHEN state = 2 THEN 'done' WHEN state = 3 THEN 'failed' WHEN state = 4 THEN 'unknown'
                WHEN lease_until > clock_timestamp() THEN 'running'
                WHEN owner = '00000000-0000-0000-0000-000000000000' THEN 'not-happened'
                ELSE 'lapsed' END::text AS standing
    FROM idem_claims
    WHERE id BETWEEN sqlc.arg(first_id) AND sqlc.arg(last_id)
      AND (sqlc.arg(operation)::text = '' OR operation = sqlc.arg(operation)::text
           OR sqlc.arg(prefix)::boolean AND starts_with(operation, sqlc.arg(operation)::text))
      AND (sqlc.narg(scope)::text IS NULL OR scope = sqlc.narg(scope)::text)
      AND (sqlc.arg(older_us)::bigint = 0 OR claimed_at <= clock_timestamp() - sqlc.arg(older_us)::bigint * interval '1 microsecond')
) c
WHERE (cardinality(sqlc.arg(standings)::text[]) = 0 OR c.standing = ANY (sqlc.arg(standings)::text[]))
  AND (sqlc.narg(after_us)::bigint IS NULL OR (c.claimed_us, c.id) > (sqlc.narg(after_us)::bigint, sqlc.arg(after_id)::uuid))
ORDER BY c.claimed_us, c.id
LIMIT sqlc.arg(most)::bigint;

-- name: Now :one
-- Now is the database's clock.
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

-- name: CountClaims :many
-- CountClaims counts the claims of each operation by how they stand. It reads the table.
SELECT c.operation, c.standing, count(*) AS claims, count(*) FILTER (WHERE c.expired) AS expired,
       (extract(epoch FROM min(c.claimed_at)) * 1000000)::bigint AS oldest_us, sum(c.size)::bigint AS result_bytes
FROM (
    SELECT operation, claimed_at, coalesce(octet_length(result), 0)::bigint AS size,
           coalesce(state IN (2, 3) AND expires_at <= clock_timestamp()
                    OR state = 1 AND lease_until + keep <= clock_timestamp(), false)::boolean AS expired,
           CASE WHEN state = 2 THEN 'done' WHEN state = 3 THEN 'failed' WHEN state = 4 THEN 'unknown'
                WHEN lease_until > clock_timestamp() THEN 'running'
                WHEN owner = '00000000-0000-0000-0000-000000000000' THEN 'not-happened'
                ELSE 'lapsed' END::text AS standing
    FROM idem_claims
) c
GROUP BY c.operation, c.standing
ORDER BY c.operation COLLATE "C", c.standing COLLATE "C";

-- name: Size :one
-- Size is what the claims take on disk, with their index.
SELECT pg_total_relation_size('idem_claims')::bigint;

-- name: WaitAWhile :exec
-- WaitAWhile lets the other statements of a person's transaction wait for a locked row, as people can, but not for ever.
SELECT set_config('lock_timeout', '2s', true);

-- name: DecideComplete :exec
-- DecideComplete stores the result that somebody found, if the claim is as he saw it and no run can be alive, and writes that down.
--
-- This and the other decisions change the row and write that down in one statement, both or neither. One that is sent again finds another
-- owner, or itself.
WITH decided AS (
    UPDATE idem_claims c
    SET owner = sqlc.arg(token), state = 2, abandoned = false, keep = NULL, completed_at = clock_timestamp(),
        expires_at = coalesce(clock_timestamp() + sqlc.narg(ttl_us)::bigint * interval '1 microsecond', 'infinity'),
        codec = sqlc.arg(codec), schema_hash = sqlc.arg(schema_hash), error_code = NULL, result = sqlc.arg(result)
    WHERE c.id = sqlc.arg(id) AND c.owner = sqlc.arg(seen) AND c.state = sqlc.arg(seen_state)::smallint
      AND (c.state = 4 OR c.state = 1 AND c.lease_until <= clock_timestamp())
      AND NOT EXISTS (SELECT FROM idem_audit a WHERE a.token = sqlc.arg(token))
    RETURNING c.id, c.operation, c.scope, c.key, c.attempt
)
INSERT INTO idem_audit (token, at, who, why, action, force, claim, operation, scope, key, before, after, owner, attempt, codec)
SELECT sqlc.arg(token), clock_timestamp(), sqlc.arg(who), sqlc.arg(why), 'complete', sqlc.arg(force), d.id, d.operation, d.scope, d.key,
       CASE WHEN sqlc.arg(seen_state)::smallint = 4 THEN 'unknown'
            WHEN sqlc.arg(seen) = '00000000-0000-0000-0000-000000000000' THEN 'not-happened' ELSE 'lapsed' END,
       'done', sqlc.arg(seen), d.attempt, sqlc.arg(codec)
FROM decided d;

-- name: DecideNotHappened :exec
-- DecideNotHappened makes the claim nobody's, so that the next call may run. The fingerprint stays, and so does the attempt.
WITH decided AS (
    UPDATE idem_claims c
    SET owner = '00000000-0000-0000-0000-000000000000', state = 1, lease_until = clock_timestamp(), abandoned = true, lapses = 0,
        keep = sqlc.narg(keep_us)::bigint * interval '1 microsecond'
    WHERE c.id = sqlc.arg(id) AND c.owner = sqlc.arg(seen) AND c.state = sqlc.arg(seen_state)::smallint
      AND (c.state = 4 OR c.state = 1 AND c.lease_until <= clock_timestamp() AND c.owner <> '00000000-0000-0000-0000-000000000000')
      AND NOT EXISTS (SELECT FROM idem_audit a WHERE a.token = sqlc.arg(token))
    RETURNING c.id, c.operation, c.scope, c.key, c.attempt
)
INSERT INTO idem_audit (token, at, who, why, action, force, claim, operation, scope, key, before, after, owner, attempt)
SELECT sqlc.arg(token), clock_timestamp(), sqlc.arg(who), sqlc.arg(why), 'not-happened', sqlc.arg(force), d.id, d.operation, d.scope, d.key,
       CASE WHEN sqlc.arg(seen_state)::smallint = 4 THEN 'unknown' ELSE 'lapsed' END, 'not-happened', sqlc.arg(seen), d.attempt
FROM decided d;

-- name: DecideHold :exec
-- DecideHold moves a claim to unknown. A lapsed one keeps its owner, whose run may still settle it; a live one is taken away from its run.
WITH decided AS (
    UPDATE idem_claims c
    SET owner = CASE WHEN c.lease_until > clock_timestamp() THEN sqlc.arg(token) ELSE c.owner END, state = 4, abandoned = false
    WHERE c.id = sqlc.arg(id) AND c.owner = sqlc.arg(seen) AND c.state = sqlc.arg(seen_state)::smallint
      AND c.state = 1 AND (sqlc.arg(force) OR c.lease_until <= clock_timestamp())
      AND NOT EXISTS (SELECT FROM idem_audit a WHERE a.token = sqlc.arg(token))
    RETURNING c.id, c.operation, c.scope, c.key, c.attempt, c.owner
)
INSERT INTO idem_audit (token, at, who, why, action, force, claim, operation, scope, key, before, after, owner, attempt)
SELECT sqlc.arg(token), clock_timestamp(), sqlc.arg(who), sqlc.arg(why), 'hold', sqlc.arg(force), d.id, d.operation, d.scope, d.key,
       CASE WHEN d.owner = sqlc.arg(token) THEN 'running'
            WHEN d.owner = '00000000-0000-0000-0000-000000000000' THEN 'not-happened' ELSE 'lapsed' END,
       'unknown', sqlc.arg(seen), d.attempt
FROM decided d;

-- name: DecideRelease :exec
-- DecideRelease deletes a claim that no run can be alive of.
WITH decided AS (
    DELETE FROM idem_claims c
    WHERE c.id = sqlc.arg(id) AND c.owner = sqlc.arg(seen) AND c.state = sqlc.arg(seen_state)::smallint
      AND (c.state <> 1 OR c.lease_until <= clock_timestamp()) AND sqlc.arg(force)
      AND NOT EXISTS (SELECT FROM idem_audit a WHERE a.token = sqlc.arg(token))
    RETURNING c.id, c.operation, c.scope, c.key, c.attempt
)
INSERT INTO idem_audit (token, at, who, why, action, force, claim, operation, scope, key, before, after, owner, attempt)
SELECT sqlc.arg(token), clock_timestamp(), sqlc.arg(who), sqlc.arg(why), 'release', sqlc.arg(force), d.id, d.operation, d.scope, d.key,
       CASE WHEN sqlc.arg(seen_state)::smallint = 2 THEN 'done' WHEN sqlc.arg(seen_state)::smallint = 3 THEN 'failed' WHEN sqlc.arg(seen_state)::smallint = 4 THEN 'unknown'
            WHEN sqlc.arg(seen) = '00000000-0000-0000-0000-000000000000' THEN 'not-happened' ELSE 'lapsed' END,
       'absent', sqlc.arg(seen), d.attempt
FROM decided d;

-- name: Decided :many
-- Decided is what was written down of a decision: one row, or none.
SELECT token, at, who, why, action, force, claim, operation, scope, key, before, after, owner, attempt, codec
FROM idem_audit WHERE token = sqlc.arg(token);

-- name: ListAudit :many
-- ListAudit is what was decided, the last decision in front.
SELECT token, at, who, why, action, force, claim, operation, scope, key, before, after, owner, attempt, codec
FROM idem_audit
WHERE (sqlc.narg(claim)::uuid IS NULL OR claim = sqlc.narg(claim)::uuid)
  AND (sqlc.arg(operation)::text = '' OR operation = sqlc.arg(operation)::text)
  AND (sqlc.narg(before_us)::bigint IS NULL
       OR ((extract(epoch FROM at) * 1000000)::bigint, token) < (sqlc.narg(before_us)::bigint, sqlc.arg(before_token)::uuid))
ORDER BY at DESC, token DESC
LIMIT sqlc.arg(most)::bigint;
