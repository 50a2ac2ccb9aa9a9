// Package scenarios holds the tests of the whole runtime on a real Postgres: what went wrong in idempotency code elsewhere, each
// under the id it has in docs/scenarios.md, and shown not to go wrong here. The store's own statements are tested in
// idem/postgres, both stores against one suite in idem/idemtest.
package scenarios
