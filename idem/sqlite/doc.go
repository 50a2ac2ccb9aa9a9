// Package sqlite keeps claims in a SQLite database, for programs that run on one machine: any number of processes may use one
// file. The driver is yours; this package imports none.
//
//	import _ "modernc.org/sqlite" // or another one for database/sql
//
//	db, err := sql.Open("sqlite", "file:claims.db")
//	...
//	if err := sqlite.Migrate(ctx, db); err != nil { ... }
//	engine, err := idem.New(sqlite.NewStore(db))
//
// It needs SQLite 3.37 or newer and a file on a disk of this machine: SQLite's locks do not work on most network file systems. The
// clock that decides is this machine's, read by SQLite while a statement runs.
//
// The database may be the application's: the store takes a connection for one step at a time, never while a method runs or a
// caller waits, and gives it back with the settings it had. Since SQLite has one writer at a time, a transaction of the application
// that writes and stays open keeps every claim, renewal and outcome waiting; a file of its own for the claims does not know that
// problem.
package sqlite
