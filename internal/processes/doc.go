// Package processes holds a test: several processes that share a database and call generated wrappers, while some of them
// are killed, stopped past their leases and let go on, and cut off from the database.
//
// The test's binary starts itself as workers, each with many callers. What happened is told by witnesses that have no part
// in it: a ledger of effects, written outside the database by the methods as they run; a history of calls and
// answers; and a trigger on the table of claims, which sees each change of owner with the database's own clock. In the
// end no fault is left, every key is called once more, and the three are compared.
//
// Chance decides what goes wrong, from a seed that is printed:
//
//	go test ./internal/processes -v -seed=7 -duration=1m
//
// The same seed makes the same choices. How the processes then run against each other is the machine's business, so a failure
// tells the stories of its keys.
//
// A run in which nobody was killed inside a method, nothing was taken over and no late writer was fenced has shown nothing,
// and fails.
package processes
