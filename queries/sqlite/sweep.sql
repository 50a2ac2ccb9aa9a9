-- name: SweepPage :one
-- SweepPage looks at the next rows: how many, up to which, and how many of them have expired. It writes nothing, so that a sweep takes
-- the write lock only where there is something to delete.
SELECT count(*) AS looked, CAST(coalesce(max(seq), 0) AS INTEGER) AS upto,
       CAST(coalesce(sum(coalesce(state IN (2, 3) AND expires_at <= now - CAST(sqlc.arg(grace) AS INTEGER)
                                  OR state = 1 AND lease_until + keep <= now - CAST(sqlc.arg(grace) AS INTEGER), 0)), 0) AS INTEGER) AS expired
FROM (SELECT r.seq, r.state, r.expires_at, r.lease_until, r.keep, c.now FROM idem_claims r, idem_clock c
      WHERE r.seq >= CAST(sqlc.arg(first) AS INTEGER) ORDER BY r.seq LIMIT CAST(sqlc.arg(most) AS INTEGER)) page;

-- name: Sweep :execrows
-- Sweep deletes the expired rows of a page. Expiry is tested again: one of them may just have been reclaimed.
DELETE FROM idem_claims
WHERE seq BETWEEN CAST(sqlc.arg(first) AS INTEGER) AND CAST(sqlc.arg(upto) AS INTEGER)
  AND (state IN (2, 3) AND expires_at <= (SELECT now FROM idem_clock) - CAST(sqlc.arg(grace) AS INTEGER)
       OR state = 1 AND lease_until + keep <= (SELECT now FROM idem_clock) - CAST(sqlc.arg(grace) AS INTEGER));
