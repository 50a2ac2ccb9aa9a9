-- name: Claim :execrows
-- Claim inserts a running row. Where one is visible it does not try, so that it neither waits for a lock on it nor
-- writes anything. Where another transaction is just inserting one, it waits briefly: see WaitBriefly.
--
-- This and the other ways to get a row may change nothing, which is no error: somebody was faster, and the Read sent with
-- it says who.
INSERT INTO idem_claims (id, owner, fence, lease_until, claimed_at, keep, attempt, lapses, state, abandoned,
                         fingerprint, operation, scope, key, origin)
SELECT sqlc.arg(id), sqlc.arg(owner), nextval('idem_fence_seq'),
       clock_timestamp() + sqlc.arg(lease_us)::bigint * interval '1 microsecond', clock_timestamp(),
       sqlc.narg(keep_us)::bigint * interval '1 microsecond', 1, 0, 1, false,
       sqlc.arg(fingerprint), sqlc.arg(operation), sqlc.arg(scope), sqlc.narg('key'), sqlc.narg(origin)
WHERE NOT EXISTS (SELECT FROM idem_claims c WHERE c.id = sqlc.arg(id)) AND set_config('lock_timeout', '20ms', true) <> ''
ON CONFLICT (id) DO NOTHING;

-- name: WaitBriefly :exec
-- WaitBriefly lets the other statements of its transaction wait for a locked row for a moment and no longer: whoever holds the lock
-- holds it for reasons of his own, and many who wait for him would hold all connections.
SELECT set_config('lock_timeout', '20ms', true);

-- name: TakeOver :execrows
-- TakeOver gives a lapsed row to another owner. The owner that was seen is compared and the lease tested again, because
-- the row may have been renewed, or taken by another, since.
UPDATE idem_claims
SET owner = sqlc.arg(owner), fence = nextval('idem_fence_seq'),
    lease_until = clock_timestamp() + sqlc.arg(lease_us)::bigint * interval '1 microsecond', claimed_at = clock_timestamp(),
    keep = sqlc.narg(keep_us)::bigint * interval '1 microsecond',
    attempt = attempt + 1, lapses = lapses + CASE WHEN abandoned THEN 0 ELSE 1 END, abandoned = false, origin = sqlc.narg(origin)
WHERE id = sqlc.arg(id) AND owner = sqlc.arg(seen) AND state = 1 AND lease_until <= clock_timestamp();

-- name: Reclaim :execrows
-- Reclaim starts an expired row over again, as Claim would.
UPDATE idem_claims
SET owner = sqlc.arg(owner), fence = nextval('idem_fence_seq'),
    lease_until = clock_timestamp() + sqlc.arg(lease_us)::bigint * interval '1 microsecond', claimed_at = clock_timestamp(),
    keep = sqlc.narg(keep_us)::bigint * interval '1 microsecond',
    attempt = 1, lapses = 0, state = 1, abandoned = false,
    fingerprint = sqlc.arg(fingerprint), key = sqlc.narg('key'), origin = sqlc.narg(origin),
    completed_at = NULL, expires_at = NULL, codec = NULL, schema_hash = NULL, error_code = NULL, result = NULL
WHERE id = sqlc.arg(id) AND owner = sqlc.arg(seen)
  AND (state IN (2, 3) AND expires_at <= clock_timestamp() OR state = 1 AND lease_until + keep <= clock_timestamp());

-- name: HoldLapsed :execrows
-- HoldLapsed moves a lapsed row to unknown. The owner stays: should its run be alive after all, it may settle the row.
UPDATE idem_claims SET state = 4, abandoned = false
WHERE id = sqlc.arg(id) AND owner = sqlc.arg(seen) AND state = 1 AND lease_until <= clock_timestamp();

-- name: Confirm :execrows
-- Confirm writes a row of its owner anew, as it is. Where standbys must acknowledge, a row that an earlier statement wrote may be
-- visible and still unacknowledged; that this write is acknowledged says that the earlier one is, too.
UPDATE idem_claims SET owner = owner WHERE id = sqlc.arg(id) AND owner = sqlc.arg(owner);
