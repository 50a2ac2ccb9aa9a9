-- name: Renew :many
-- Renew extends leases, lapsed ones too, and puts rows that were held as unknown back to running. A locked row is skipped, so that
-- one slow transaction does not hold up everybody's leases; Held tells it from a lost one.
UPDATE idem_claims c
SET lease_until = clock_timestamp() + free.lease_us * interval '1 microsecond', state = 1
FROM (
    SELECT f.id, asked.lease_us
    FROM (SELECT unnest(sqlc.arg(ids)::uuid[]) AS id, unnest(sqlc.arg(owners)::uuid[]) AS owner,
                 unnest(sqlc.arg(lease_us)::bigint[]) AS lease_us) asked
    JOIN idem_claims f ON f.id = asked.id AND f.owner = asked.owner
    WHERE f.state IN (1, 4)
    ORDER BY f.id
    FOR NO KEY UPDATE OF f SKIP LOCKED
) free
WHERE c.id = free.id
RETURNING c.id, c.owner;

-- name: Held :many
-- Held lists which of some rows are still running or unknown, and whose.
SELECT id, owner FROM idem_claims WHERE id = ANY (sqlc.arg(ids)::uuid[]) AND state IN (1, 4);
