-- name: Sweep :execrows
-- Sweep deletes the expired rows of the pages from from_page up to to_page, so that it needs no index and each step is bounded. Expiry
-- is tested on the locked row: one that is just being reclaimed is locked and skipped, one that just was is no longer expired.
DELETE FROM idem_claims
WHERE ctid = ANY (ARRAY(
    SELECT c.ctid FROM idem_claims c
    WHERE c.ctid >= format('(%s,0)', sqlc.arg(from_page)::bigint)::tid AND c.ctid < format('(%s,0)', sqlc.arg(to_page)::bigint)::tid
      AND (c.state IN (2, 3) AND c.expires_at <= clock_timestamp() - sqlc.arg(grace_us)::bigint * interval '1 microsecond'
           OR c.state = 1 AND c.lease_until + c.keep <= clock_timestamp() - sqlc.arg(grace_us)::bigint * interval '1 microsecond')
    FOR UPDATE SKIP LOCKED));

-- name: Pages :one
-- Pages is the size of the table, in pages.
SELECT (pg_relation_size('idem_claims') / current_setting('block_size')::bigint)::bigint;
