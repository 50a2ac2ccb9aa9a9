// Package postgres keeps claims in a Postgres table, idem_claims (version 14 or newer, through pgx).
//
//	pool, err := pgxpool.New(ctx, url)
//	...
//	if err := postgres.Migrate(ctx, pool); err != nil { ... }
//	engine, err := idem.New(postgres.NewStore(pool))
//
// The pool may be the application's: the store takes a connection for one round trip at a time, never while a method runs
// or a caller waits. Every step is one short transaction in READ COMMITTED, whatever the database's default is, and none
// leaves session state behind, so that a pooler in transaction mode may stand between; one that knows nothing of prepared
// statements needs pgx's QueryExecModeCacheDescribe or QueryExecModeExec. QueryExecModeSimpleProtocol makes keys and
// results part of the statements' text, which the server may log.
package postgres
