-- name: PlanByRow :exec
-- PlanByRow makes the other statements of its transaction find their rows one by one. A plan for many rows that is made and kept while
-- the table is small would read all of it, and go on doing so as it grows.
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true);

-- name: Warn :exec
-- Warn makes the server send its warnings in this transaction, whatever the session wants to hear.
SELECT set_config('client_min_messages', 'warning', true);

-- name: Durability :one
-- Durability is what decides whether the database keeps what it acknowledges.
SELECT current_setting('synchronous_commit')::text AS synchronous_commit,
       current_setting('synchronous_standby_names')::text AS synchronous_standby_names,
       coalesce((SELECT relpersistence <> 'p' FROM pg_catalog.pg_class WHERE oid = to_regclass('idem_claims')), false)::boolean AS unlogged;

-- name: RowSecurity :one
-- RowSecurity says whether row-level security decides what this session sees of the table.
SELECT row_security_active('idem_claims')::boolean;
