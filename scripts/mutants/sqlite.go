package main

// This file lists the protections of the store on SQLite, whose tests are a module of their own.

const (
	sqliteLab = "./lab/sqlite"

	sqliteClaimSQL  = "idem/sqlite/internal/db/claim.sql.go"
	sqliteSettleSQL = "idem/sqlite/internal/db/settle.sql.go"
	sqliteDecide    = "idem/sqlite/decide.go"
	sqliteTransact  = "idem/sqlite/transact.go"
)

var ofSQLite = []mutant{
	{
		"sqlite: commits are as synchronous as the connection is", sqliteTransact,
		"err := c.makeDurable(ctx)", "err := error(nil)",
		sqliteLab, "TestEveryWriteIsSynchronousWhateverTheConnectionIs",
	},
	{
		"sqlite: a take-over does not test the lease again", sqliteClaimSQL,
		"WHERE id = ?5 AND owner = ?6 AND state = 1 AND lease_until <= (SELECT now FROM idem_clock)", "WHERE id = ?5 AND owner = ?6 AND state = 1",
		sqliteLab, "TestSQLiteKeepsEveryPromise",
	},
	{
		"sqlite: complete does not compare the owner", sqliteSettleSQL,
		"WHERE id = ?7 AND owner = ?8 AND state IN (1, 4)", "WHERE id = ?7 AND ?8 IS NOT NULL AND state IN (1, 4)",
		sqliteLab, "TestSQLiteKeepsEveryPromise",
	},
	{
		"sqlite: a renewal adds to the lease, whatever the clock", sqliteSettleSQL,
		"SET lease_until = (SELECT now FROM idem_clock) + CAST(?1 AS INTEGER), state = 1", "SET lease_until = lease_until + CAST(?1 AS INTEGER), state = 1",
		sqliteLab, "TestClockStep_BackUnderARunIsMendedByItsRenewal",
	},
	{
		"sqlite: a decision that is sent again is another one", sqliteDecide,
		"if err == nil && before == 0 {", "if err == nil && before >= 0 {",
		sqliteLab, "TestSQLiteKeepsEveryPromiseToPeople",
	},
	{
		"sqlite: a decision counts that could not be written down", sqliteTransact,
		"		c.rollback(ctx)", `		_ = c.exec(ctx, "COMMIT")`,
		sqliteLab, "TestADecisionThatCanNotBeWrittenDownChangesNothing",
	},
}
