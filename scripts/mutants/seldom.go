package main

// This file lists protections that are needed seldom: when answers are late or lost, rows are locked, stores are down, and engines
// end. Nobody misses them on a good day, so nothing but these tests would say that one is gone.

const (
	claimGo    = "idem/claim.go"
	claimingGo = "idem/claiming.go"
	runGo      = "idem/run.go"
	leaseGo    = "idem/lease.go"
	engineGo   = "idem/engine.go"
)

var seldom = []mutant{
	{
		"a plain error after the lease was lost releases", runGo,
		"ended := mctx.Err() != nil || ctx.Err() != nil", "ended := ctx.Err() != nil",
		engine, "TestClassify_APlainErrorAfterTheLeaseWasLostSaysNothing",
	},
	{
		"a rule does not outweigh silence", "idem/classify.go",
		"if r.match(err) {", "if r.match(err) && !ended && !saysNothing(err) {",
		engine, "TestClassify_AMarkGoesBeforeARuleAndARuleBeforeTheRest",
	},
	{
		"a renewal of a locked row is permission to start", runGo,
		"return sent, answers[0] != RenewalDone, nil", "return sent, answers[0] == RenewalLost, nil",
		engine, "TestStart_ARenewalThatSaysNothingIsNoPermission",
	},
	{
		"a run starts after a renewal that was answered too late", runGo,
		"return !r.lease.over(), nil", "return true, nil",
		engine, "TestStart_ARenewalThatSaysNothingIsNoPermission",
	},
	{
		"evidence goes with a take-over that was not run", claimingGo,
		"case row.Attempt > 1:", "case row.Attempt > 100:",
		engine, "TestGiveBack_ATakeOverThatWasNotRunKeepsTheEvidence",
	},
	{
		"what is another's is given back", claimingGo,
		"			c.undo = nil", "			_ = c.undo",
		engine, "TestGiveBack_WhatIsAnothersIsLeftAlone",
	},
	{
		"what expired is held", claimGo,
		"	case seen.Expired:", "	case seen.Expired && q.takeover != TakeoverHold && !q.exhausted(seen):",
		engine, "TestTake_WhatHasExpiredStartsOverWhateverThePolicy",
	},
	{
		"a duplicate counts its waits as races", claimGo,
		"			faster = -1 // a wait is no race lost", "",
		engine, "TestWait_ManyOwnersOneAfterTheOtherAreNoRacesLost",
	},
	{
		"a duplicate counts its waits for a lock as races", claimGo,
		"faster = -1 // a wait is no race lost", "if !a.locked { faster = -1 }",
		engine, "TestWait_ALockThatIsHeldForLongIsNoRaceLost",
	},
	{
		"another tenant's row is answered when ids collide", claimGo,
		" || row.Ref.Scope != q.ref.Scope", "",
		engine, "TestCollision_ARowOfAnotherKeyIsNotAnswered",
	},
	{
		"a renewal is cut short for the next", leaseGo,
		"limit = max(limit, valid(l.length))", "limit = max(limit, l.length/4)",
		engine, "TestLease_ASlowRenewalHasUntilItsDeadline",
	},
	{
		"an older renewal's answer takes the lease back", leaseGo,
		"if sent.After(l.sent) {", "if !sent.IsZero() {",
		engine, "TestLease_AnOlderRenewalsAnswerTakesNothingBack",
	},
	{
		"a row had back is not renewed until its outcome is stored", leaseGo,
		"l.renew = l.settling", "l.renew = false",
		engine, "TestLease_WhatIsLostIsRenewedAgainOnlyWhileItsOutcomeIsStored",
	},
	{
		"a plain timeout ends while its outcome is stored", "idem/complete.go",
		"	r.lease.settle()", "	_ = r.lease",
		engine, "TestLater_TheClaimIsKeptUntilTheOutcomeIsStored",
	},
	{
		"a step that hangs takes all the time there is", "idem/settle.go",
		"e.config.storeTimeout/3)", "e.config.storeTimeout)",
		engine, "TestStep_OneThatHangsLeavesTimeForAnother",
	},
	{
		"a shutdown forgets what is still to be stored", engineGo,
		"	if e.works > 0 {", "	if false {",
		engine, "TestShutdown_StoresWhatIsStillToBeStored",
	},
	{
		"a store is closed under a method that is running", engineGo,
		"	if !e.closed || e.calls > 0 {", "	if !e.closed {",
		engine, "TestClose_ClosesTheStoreOnceWhenTheLastRunHasEnded",
	},
	{
		"a wait outlives its engine", "idem/wait.go",
		"	defer context.AfterFunc(e.closing, cancel)()", "",
		engine, "TestClosed_AWaitEndsWithTheEngineAtOnce",
	},
	{
		"failures that are over end a wait", "idem/poll.go",
		"r.failed, r.left = 0, row.LeaseLeft", "r.left = row.LeaseLeft",
		engine, "TestPoller_FailuresThatAreOverDoNotAddUp",
	},
	{
		"a sweep ends after its first step", "idem/sweep.go",
		"err != nil || r.Next == 0", "err != nil || r.Next >= 0",
		engine, "TestSweep_ReachesAllRowsAndLeavesThemForTheGrace",
	},
	{
		"an outcome misses its own claim that lands late", "idem/postgres/settle.go",
		"!(unsettled && row.Owner == o.Claim.Owner)", "!(unsettled && false)",
		postgres, "TestAnOutcomeFindsTheClaimThatLandsMeanwhile",
	},
	{
		"a take-over waits for whoever has the row locked", claimSQL,
		"SELECT set_config('lock_timeout', '20ms', true)", "SELECT set_config('lock_timeout', '0', true)",
		postgres, "TestAStepThatWantsALockedRowGivesItUpInTime",
	},
	{
		"a step's settings stay on its connection", claimSQL,
		"SELECT set_config('lock_timeout', '20ms', true)", "SELECT set_config('lock_timeout', '20ms', false)",
		postgres, "TestNoStepLeavesASettingBehind",
	},
	{
		"a value that the database refuses is sent for ever", "idem/postgres/error.go",
		`"22": true, "23": true, "54": true`, `"54": true`,
		postgres, "TestFailuresSayWhetherItWasALockOrTheValue",
	},
}
