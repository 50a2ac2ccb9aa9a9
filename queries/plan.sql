-- name: PlanByRow :exec
-- PlanByRow makes the other statements of its transaction find their rows one by one. A plan for many rows that is made and kept while
-- the table is small would read all of it, and go on doing so as it grows.
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true);
