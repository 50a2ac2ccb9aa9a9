-- name: Claim :execrows
-- Claim inserts a running row. Its transaction has the only write lock there is, and where a row was visible before, it was not
-- begun: a claim of a row that is there neither waits nor writes.
--
-- This and the other ways to get a row may change nothing, which is no error: somebody was faster, and the Read in the same
-- transaction says who. Where they change a row, NextFence comes after them.
INSERT INTO idem_claims (id, owner, fence, lease_until, claimed_at, keep, attempt, lapses, state, abandoned,
                         fingerprint, operation, scope, key, origin)
SELECT sqlc.arg(id), sqlc.arg(owner), f.last + 1, c.now + CAST(sqlc.arg(lease) AS INTEGER), c.now, sqlc.narg(keep), 1, 0, 1, 0,
       sqlc.arg(fingerprint), sqlc.arg(operation), sqlc.arg(scope), sqlc.narg('key'), sqlc.narg(origin)
FROM idem_fence f, idem_clock c
WHERE true
ON CONFLICT (id) DO NOTHING;

-- name: NextFence :exec
-- NextFence notes that a fence was given out.
UPDATE idem_fence SET last = last + 1;

-- name: TakeOver :execrows
-- TakeOver gives a lapsed row to another owner. The owner that was seen is compared and the lease tested again, because
-- the row may have been renewed, or taken by another, since.
UPDATE idem_claims
SET owner = sqlc.arg(owner), fence = (SELECT last + 1 FROM idem_fence),
    lease_until = (SELECT now FROM idem_clock) + CAST(sqlc.arg(lease) AS INTEGER), claimed_at = (SELECT now FROM idem_clock),
    keep = sqlc.narg(keep), attempt = attempt + 1, lapses = lapses + (NOT abandoned), abandoned = 0, origin = sqlc.narg(origin)
WHERE id = sqlc.arg(id) AND owner = sqlc.arg(seen) AND state = 1 AND lease_until <= (SELECT now FROM idem_clock);

-- name: Reclaim :execrows
-- Reclaim starts an expired row over again, as Claim would.
UPDATE idem_claims
SET owner = sqlc.arg(owner), fence = (SELECT last + 1 FROM idem_fence),
    lease_until = (SELECT now FROM idem_clock) + CAST(sqlc.arg(lease) AS INTEGER), claimed_at = (SELECT now FROM idem_clock),
    keep = sqlc.narg(keep), attempt = 1, lapses = 0, state = 1, abandoned = 0,
    fingerprint = sqlc.arg(fingerprint), key = sqlc.narg('key'), origin = sqlc.narg(origin),
    completed_at = NULL, expires_at = NULL, codec = NULL, schema_hash = NULL, error_code = NULL, result = NULL
WHERE id = sqlc.arg(id) AND owner = sqlc.arg(seen)
  AND (state IN (2, 3) AND expires_at <= (SELECT now FROM idem_clock) OR state = 1 AND lease_until + keep <= (SELECT now FROM idem_clock));

-- name: HoldLapsed :execrows
-- HoldLapsed moves a lapsed row to unknown. The owner stays: should its run be alive after all, it may settle the row.
UPDATE idem_claims SET state = 4, abandoned = 0
WHERE id = sqlc.arg(id) AND owner = sqlc.arg(seen) AND state = 1 AND lease_until <= (SELECT now FROM idem_clock);

-- name: Confirm :execrows
-- Confirm writes a row of its owner anew, as it is. A row that an earlier statement wrote, whose commit failed half-way, may be visible and
-- not be on the disk; that this write is committed says that the earlier one is there, too.
UPDATE idem_claims SET owner = owner WHERE id = sqlc.arg(id) AND owner = sqlc.arg(owner);
