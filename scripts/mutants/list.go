package main

// This file lists the protections, each by what happens without it. The first ones are about who may write a row, then about the
// order in which things are asked and done, then about what an error means, then about what goes on beside the calls.

const (
	engine    = "./idem"
	idemtest  = "./idem/idemtest"
	postgres  = "./idem/postgres"
	scenarios = "./internal/scenarios"

	claimSQL  = "idem/postgres/internal/db/claim.sql.go"
	settleSQL = "idem/postgres/internal/db/settle.sql.go"
	renewSQL  = "idem/postgres/internal/db/renew.sql.go"
	txSQL     = "idem/postgres/internal/db/transaction.sql.go"
	sweepSQL  = "idem/postgres/internal/db/sweep.sql.go"
	adminSQL  = "idem/postgres/internal/db/admin.sql.go"
)

var mutants = []mutant{
	{
		"complete does not compare the owner", settleSQL,
		"WHERE id = $7 AND owner = $8 AND state IN (1, 4)", "WHERE id = $7 AND $8::uuid IS NOT NULL AND state IN (1, 4)",
		scenarios, "TestB8_ALateRunLeavesItsSuccessorAlone",
	},
	{
		"release does not compare the owner", settleSQL,
		"WHERE id = $1 AND owner = $2 AND state IN (1, 4)", "WHERE id = $1 AND $2::uuid IS NOT NULL AND state IN (1, 4)",
		scenarios, "TestB8_ALateRunLeavesLaterGenerationsAlone",
	},
	{
		"abandon does not compare the owner", settleSQL,
		"WHERE id = $5 AND owner = $6 AND state IN (1, 4)", "WHERE id = $5 AND $6::uuid IS NOT NULL AND state IN (1, 4)",
		scenarios, "TestB8_ALateRunLeavesLaterGenerationsAlone",
	},
	{
		"abandon keeps the owner", settleSQL,
		"SET owner = $1, lease_until = clock_timestamp(),", "SET owner = coalesce(owner, $1), lease_until = clock_timestamp(),",
		scenarios, "TestLate_ARenewalAfterAbandonRevivesNothing",
	},
	{
		"a renewal does not compare the owner", renewSQL,
		"JOIN idem_claims f ON f.id = asked.id AND f.owner = asked.owner", "JOIN idem_claims f ON f.id = asked.id",
		scenarios, "TestB13_AZombiesRenewalsFailAndItIsTold",
	},
	{
		"complete tests the lease", settleSQL,
		"WHERE id = $7 AND owner = $8 AND state IN (1, 4)", "WHERE id = $7 AND owner = $8 AND state IN (1, 4) AND lease_until > clock_timestamp()",
		scenarios, "TestPA5_ALateResultThatNobodyContestsIsStored",
	},
	{
		"a take-over does not test the lease again", claimSQL,
		"WHERE id = $5 AND owner = $6 AND state = 1 AND lease_until <= clock_timestamp()", "WHERE id = $5 AND owner = $6 AND state = 1",
		scenarios, "TestA7_ALeaseRenewedInTheGapIsNotTakenAtTheSeam",
	},
	{
		"a take-over does not compare the owner it saw", claimSQL,
		"WHERE id = $5 AND owner = $6 AND state = 1 AND lease_until <= clock_timestamp()",
		"WHERE id = $5 AND $6::uuid IS NOT NULL AND state = 1 AND lease_until <= clock_timestamp()",
		postgres, "TestB17_PostgresKeepsEveryPromise",
	},
	{
		"a claim names no conflict target", claimSQL,
		"ON CONFLICT (id) DO NOTHING", "ON CONFLICT DO NOTHING",
		scenarios, "TestSchema_ATableThatDoesNotFitIsFoundBeforeTheMethodRuns",
	},
	{
		"a claim is not guarded", claimSQL,
		"WHERE NOT EXISTS (SELECT FROM idem_claims c WHERE c.id = $1)", "WHERE NOT EXISTS (SELECT FROM idem_claims c WHERE c.id = $1 AND false)",
		postgres, "TestPC1_NoDuplicateWritesOrTakesATransactionID",
	},
	{
		"the clock is the transaction's", claimSQL,
		"clock_timestamp() + $3::bigint * interval '1 microsecond', clock_timestamp(),", "now() + $3::bigint * interval '1 microsecond', now(),",
		postgres, "TestTheClockIsTheDatabasesOfNow",
	},
	{
		"a sweep takes running rows that have not expired", sweepSQL,
		"OR c.state = 1 AND c.lease_until + c.keep <= clock_timestamp()", "OR c.state = 1 AND c.lease_until <= clock_timestamp()",
		scenarios, "TestI9_ASweepNeverRemovesEvidence",
	},
	{
		"a sweep does not lock what it tests", sweepSQL,
		"FOR UPDATE SKIP LOCKED))", "))",
		postgres, "TestPA1_ARowThatIsBeingRetakenIsNotSwept",
	},
	{
		"steps run under the database's default isolation", "idem/postgres/transact.go",
		`batch.Queue("begin isolation level read committed")`, `batch.Queue("begin")`,
		postgres, "TestB17_PostgresKeepsEveryPromise",
	},
	{
		"a row that an earlier statement wrote is not confirmed", "idem/postgres/claim.go",
		"if err != nil || changed > 0 || row.Owner != c.Owner {", "if true || changed > 0 {",
		scenarios, "TestReplication_AClaimWhoseClientGaveUpWaitingIsConfirmed",
	},
	{
		"a row that row-level security hides counts as gone", "idem/postgres/claim.go",
		"row.State != idem.StateAbsent || !s.hidden(ctx) {", "row.State != idem.StateAbsent || true {",
		postgres, "TestARowThatRowSecurityHidesIsNeitherWonNorMissing",
	},
	{
		"effects are not counted where processes die", "idem/idemtest/crash_judge.go",
		"effects > limit {", "effects > limit+9 {",
		idemtest, "TestCrash_FindsWrongServices",
	},
	{
		"results are not compared where processes die", "idem/idemtest/crash_judge.go",
		`got.value); path != "" {`, `got.value); path == "?" {`,
		idemtest, "TestCrash_FindsWrongServices",
	},
	{
		"the warning of a cancelled wait for a standby is overheard", "idem/postgres/durability.go",
		"if noted[unreplicated] == nil {", "if noted != nil {",
		scenarios, "TestReplication_ACommitThatNoStandbyHasCountsForNothing",
	},
	{
		"each try of a claim has an owner of its own", "idem/claiming.go",
		"for try := 0; ; try++ {", "for try := 0; ; try, c.q.owner[0] = try+1, c.q.owner[0]+1 {",
		scenarios, "TestD9_AStepWhoseAnswerIsLostEndsAsOnAGoodDay",
	},
	{
		"what may have been claimed is not given back", "idem/claiming.go",
		"if c.undo == nil {", "if c.undo == nil || ctx != nil {",
		scenarios, "TestD8_CallsCancelledMidClaimLeaveNothingBehind",
	},
	{
		"what may have been claimed is deleted without asking again", "idem/claiming.go",
		"again := func(ctx context.Context) (Row, error) { return s(ctx, q.claim()) }",
		"again := func(context.Context) (Row, error) { _ = s; return Row{Owner: q.owner, State: StateRunning, Attempt: 1}, nil }",
		scenarios, "TestD8_AGiveBackWaitsForTheInsertInFlight",
	},
	{
		"a run ends on its caller's context", "idem/run.go",
		"ctx: context.WithoutCancel(ctx), open: s.c.open}", "ctx: ctx, open: s.c.open}",
		scenarios, "TestD8_EndingARunHasAContextOfItsOwn",
	},
	{
		"a success that can't be stored is released", "idem/complete.go",
		"		err = r.unstored(o, err)", "		r.release(err); return nil",
		scenarios, "TestPB1_ARetryDoesNotRunWhatCouldNotBeStored",
	},
	{
		"a wait that ends is permission to run", "idem/claim.go",
		"if err := c.wait(ctx, a); err != nil {", "if err := c.wait(ctx, a); err != nil { _, err := e.start(ctx, c, b, a)",
		scenarios, "TestC2_AWaitThatEndsIsAnAnswerNotPermission",
	},
	{
		"one inserted row is a win, and its owner is not looked at", "idem/claim.go",
		"case row.Owner == q.owner:", "case row.Owner == q.owner || row.Lapsed:",
		scenarios, "TestB6_OneOfManyTakesALapsedClaimOver",
	},
	{
		"a mismatch comes after in flight", "idem/claim.go",
		"case !q.same(row), row.State != StateRunning:", "case row.State != StateRunning:",
		scenarios, "TestG8_MismatchWinsOverInFlight",
	},
	{
		"an expired outcome is replayed", "idem/claim.go",
		"	case row.Expired:", "	case row.Expired && false:",
		scenarios, "TestB7_AnExpiredOutcomeIsRunAnewWithoutASweep",
	},
	{
		"a run starts on a lease that may be over", "idem/run.go",
		"if time.Since(a.sent) >= valid(q.lease) {", "if time.Since(a.sent) >= 1000*valid(q.lease) {",
		engine, "TestStart_ALeaseThatMayBeOverIsRenewedFirst",
	},
	{
		"a lost lease does not end the method", "idem/run.go",
		"		cancel(ErrLeaseLost)", "		_ = cancel",
		scenarios, "TestB14_FailingRenewalsAreReportedAndEndTheRunBeforeItsLease",
	},
	{
		"nobody renews", "idem/lease.go",
		"		case !l.renew:", "		case true:",
		scenarios, "TestB10_RenewalKeepsASlowRunAlone",
	},
	{
		"a lease counts from its answer", "idem/lease.go",
		"			l.sent = sent", "			l.sent = time.Now()",
		engine, "TestLease_CountsFromWhenItWasSent",
	},
	{
		"a claim's lease counts from its last try", "idem/claiming.go",
		"			a.row = row", "			a.row, a.sent = row, time.Now()",
		engine, "TestStart_AClaimWhoseAnswerWasLongOnItsWayIsRenewedFirst",
	},
	{
		"a panic releases", "idem/run.go",
		"			r.abandon(abandonment{lapse: true, cause: howEnded()})", "			r.release(nil)",
		scenarios, "TestD14_APanicOrGoexitAbandonsAndPassesThrough",
	},
	{
		"a timeout is taken for no effect", "idem/classify.go",
		"	if ended || saysNothing(err) || q.takeover != TakeoverRerun {", "	if ended || q.takeover != TakeoverRerun {",
		scenarios, "TestEndings_AnErrorEndsTheRunByWhatItSaysOfTheEffect",
	},
	{
		"an error of a cancelled method is taken for no effect", "idem/classify.go",
		"	if ended || saysNothing(err) || q.takeover != TakeoverRerun {", "	if saysNothing(err) || q.takeover != TakeoverRerun {",
		scenarios, "TestEndings_AnErrorOfACancelledMethodSaysNothing",
	},
	{
		"a plain error of a later attempt releases", "idem/run.go",
		"case c == noEffect, c == unclassified && r.row.Attempt == 1:", "case c == noEffect, c == unclassified:",
		scenarios, "TestE4_APlainErrorOfALaterRunSaysNothingOfTheEarlierOne",
	},
	{
		"a late success does not ask whose the row is", "idem/complete.go",
		"func (q *request) stored(row Row) bool { return row.Owner == q.owner && row.settled() }",
		"func (q *request) stored(row Row) bool { return row.settled() }",
		scenarios, "TestLate_ASuccessFindsTheRow",
	},
	{
		"a late success counts its waits as races", "idem/overtaken.go",
		"			faster = -1 // a wait is no race lost", "",
		scenarios, "TestLate_ASuccessWaitsThroughManySuccessors",
	},
	{
		"a claim taken back and not completed is left alone", "idem/overtaken.go",
		"case row.State == StateAbsent, row.Owner == q.owner && !row.settled():", "case row.State == StateAbsent:",
		engine, "TestComplete_ARetakenClaimIsCompletedInTheEnd",
	},
	{
		"a refusal that passes costs the result", "idem/complete.go",
		"if !ok || !s.TooMuch || o.Codec == codecNone {", "if !ok || !s.TooMuch && s.Temporary || o.Codec == codecNone {",
		engine, "TestComplete_WhatTheStoreRefusesForAnotherReasonKeepsItsResult",
	},
	{
		"what had no effect is deleted though its claim may still come", "idem/settle.go",
		"	if r.open {", "	if r.open && false {",
		scenarios, "TestD9_AnInsertThatLandsAfterItsGiveBackFindsItsRow",
	},
	{
		"a lock is waited for like a restart", "idem/claiming.go",
		"		if a.locked = locked(err); a.locked {", "		if a.locked = locked(err) && false; a.locked {",
		scenarios, "TestPC3_AKeyThatIsJustBeingChangedIsInFlight",
	},
	{
		"dead connections are found out one step at a time", "idem/postgres/store.go",
		"if s.doubtful.Load() <= 0 ||", "if true ||",
		scenarios, "TestRestart_BrokenConnectionsDoNotHideADatabaseThatIsBack",
	},
	{
		"a late success leaves an expired row to the next caller", "idem/overtaken.go",
		"	case row.Expired:", "	case row.Expired && row.State == StateAbsent:",
		scenarios, "TestLate_ASuccessReclaimsWhatExpired",
	},
	{
		"a result that can't be read is run again", "idem/claim.go",
		"	if cause := b.decode(row); cause != nil {", "	if cause := b.decode(row); cause != nil && row.Codec == \"\" {",
		scenarios, "TestF13_AChangedResultTypeIsUnreadableNeverRunAgain",
	},
	{
		"a waiter is told too late that its row has changed", "idem/settle.go",
		"		r.e.poller.changed(r.q.id)", "		_ = r",
		scenarios, "TestWaiters_OfTheSameProcessAreWokenByTheWinner",
	},
	{
		"every waiter looks for itself", "idem/poll.go",
		"if next = p.next(); now.Before(next) {", "if next = p.next(); false {",
		engine, "TestPoller_TheCostDoesNotGrowWithTheWaiters",
	},
	{
		"an outcome that met a successor is dropped when the store fails", "idem/overtaken.go",
		"	default: // nobody else is on it", "	case successorNone, successorLapsed: r.lease.stop(); return nil; default:",
		engine, "TestComplete_AnOutcomeIsStoredLaterAlsoWhenASuccessorWasThere",
	},
	{
		"background storing gives up at another one's row", "idem/later.go",
		"			if !r.getAgain(base, &o, got) {", "			if true {",
		engine, "TestComplete_AnOutcomeThatIsStoredLaterRetakesAClaimToo",
	},
	{
		"the server may keep its warning to itself", "idem/postgres/transact.go",
		"if c.PgConn().CustomData()[listening] != nil {", "if c == nil {",
		scenarios, "TestReplication_TheWarningIsHeardWhateverTheSessionWantsToHear",
	},
	{
		"renewals that hang take what connections there are", "idem/postgres/store.go",
		"borrowed: make(chan struct{}, 1)", "borrowed: make(chan struct{}, 1000)",
		scenarios, "TestCrowd_RenewalsThatHangDoNotEmptyThePool",
	},
	{
		"what is given back in the background is not insisted on", "idem/claiming.go",
		"		r.later = true", "		r.later = false",
		engine, "TestGiveBack_IsInsistedOn",
	},
	{
		"a moment without space costs the result", "idem/complete.go",
		"if s.Temporary && time.Since(since) < r.e.config.storeTimeout/2 {", "if false && s.Temporary {",
		scenarios, "TestDisk_AMomentWithoutSpaceDoesNotCostTheResult",
	},
	{
		"a commit that was not answered is taken for none", "idem/transaction.go",
		"	return r.resolve(ctx, o, err)", "	return r.notCommitted(&StoreError{NotApplied: true, Err: err})",
		scenarios, "TestD13_ACommitWithoutAnswerIsResolvedByTheRow",
	},
	{
		"a row is given to a new owner whoever has it", txSQL,
		"WHERE id = $3 AND owner = $4 AND state IN (1, 4)", "WHERE id = $3 AND $4::uuid IS NOT NULL",
		scenarios, "TestD13_ACommitWithoutAnswerIsResolvedByTheRow",
	},
	{
		"a zombie's effect is committed", "idem/transaction.go",
		"	if !r.q.stored(got) {", "	if false {",
		scenarios, "TestTx_AZombiesEffectVanishes",
	},
	{
		"a method may end its transaction", "idem/postgres/handed.go",
		`func (h *handed) Commit(context.Context) error { return h.refusal("COMMIT") }`, "func (h *handed) Commit(ctx context.Context) error { return h.tx.Commit(ctx) }",
		scenarios, "TestTx_TheHandedTransactionRefusesItsEnd",
	},
	{
		"what met another transaction is not run again", "idem/transaction_failed.go",
		"	case metAnother(err):", "	case false:",
		scenarios, "TestTx_AFailureToSerializeRunsTheEffectAgain",
	},
	{
		"a joined step has no savepoint", "idem/postgres/join.go",
		`savepointSQL = "savepoint idem_step"`, `savepointSQL = "select 1"`,
		scenarios, "TestA11_ADuplicateInItsOwnTransactionIsAnsweredAndItsTransactionGoesOn",
	},
	{
		"a joined run that failed leaves its claim", "idem/transaction_join.go",
		"	if c.undo == nil {", "	if c.undo != nil || true {",
		scenarios, "TestJoin_AnErrorStoresNothing",
	},
	{
		"vet takes a decorator for an implementation", "vet/implement.go",
		"s.meant(n, w) && !s.forwards(n, w)", "s.meant(n, w)",
		"./vet", "TestFindingsAndFixes",
	},
	{
		"vet trusts a variable that others can change", "vet/origins.go",
		"if !ok || t.open[v] ||", "if !ok ||",
		"./vet", "TestFindingsAndFixes",
	},
	{
		"vet takes a key that is made once for one of every attempt", "vet/minted.go",
		"return within(at.Pos(), m.attempt.body) && m.always(at, m.attempt.body)", "return within(at.Pos(), m.attempt.body)",
		"./vet", "TestFindingsAndFixes",
	},
	{
		"vet forgets what imported packages know", "vet/known.go",
		"k.add(&theirs)", "_ = theirs",
		"./vet", "TestFindingsAndFixes",
	},
	{
		"a person's result is stored whatever he saw", adminSQL,
		"WHERE c.id = $11 AND c.owner = $6 AND c.state = $5::smallint", "WHERE c.id = $11 AND $6::uuid IS NOT NULL AND c.state = $5::smallint",
		postgres, "TestPostgresKeepsEveryPromiseToPeople",
	},
	{
		"a person lets a second call run beside a live one", adminSQL,
		"c.state = 1 AND c.lease_until <= clock_timestamp() AND c.owner <>", "c.state = 1 AND c.owner <>",
		postgres, "TestPostgresKeepsEveryPromiseToPeople",
	},
	{
		"a live claim that is held stays its run's", adminSQL,
		"SET owner = CASE WHEN c.lease_until > clock_timestamp() THEN $1 ELSE c.owner END", "SET owner = CASE WHEN c.lease_until > clock_timestamp() THEN c.owner ELSE c.owner END",
		scenarios, "TestDecision_ALiveRunWhoseClaimIsHeldIsToldAndStoresNothing",
	},
	{
		"what a person says did not happen is held again", "idem/claim.go",
		"case seen.notHappened() && !seen.Expired:", "case false:",
		engine, "TestDecide_WhatDidNotHappenRunsOnce",
	},
}
