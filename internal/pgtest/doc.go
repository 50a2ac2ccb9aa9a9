// Package pgtest starts private Postgres servers for tests, measurements and the demo, and gives each test a database of
// its own.
//
// A test package calls [Main] from TestMain and [Pool] or [Database] from its tests:
//
//	func TestMain(m *testing.M) { pgtest.Main(m) }
//
//	func TestClaim(t *testing.T) {
//		t.Parallel()
//		pool := pgtest.Pool(t)
//
// All tests of one binary share one server, started by the first that needs it. Where IDEMGEN_TEST_DATABASE_URL is set,
// databases are made on that server instead. A missing server is a failure, never a skip.
//
// A test that takes a server down, or needs a standby, starts one of its own: [Start], [Server.Restart], [Server.Standby].
package pgtest
