package main

// This file lists the protections of later attempts, of methods that outlive their callers, and of the engine's end.

const (
	detachGo = "idem/detach.go"
	closeGo  = "idem/close.go"
)

var attempts = []mutant{
	{
		"a first attempt is asked about", "idem/recover.go",
		"r.row.Attempt > 1", "r.row.Attempt > 0",
		engine, "TestRecover_AFirstAttemptIsNotAsked",
	},
	{
		"a no that comes too late runs", runGo,
		"		case !may:", "		case !may && false:",
		engine, "TestRecover_ANoUnderALeaseThatIsOverRunsNothing",
	},
	{
		"a question without an answer counts as a lapse", "idem/recover.go",
		"r.abandon(abandonment{cause: cause})", "r.abandon(abandonment{cause: cause, lapse: true})",
		engine, "TestRecover_NoAnswerIsNotANo",
	},
	{
		"a claim that was asked about and not run is left to its lease", runGo,
		"		c.undo = undo", "		_ = undo",
		engine, "TestRecover_TheCallersEndMeanwhile",
	},
	{
		"a detached method ends with its caller", detachGo,
		"time.AfterFunc(by, func()", "time.AfterFunc(0, func()",
		engine, "TestDetach_ItsContextEndsOneLeaseAfterTheCallers",
	},
	{
		"a shutdown does not wait for a detached method", detachGo,
		"	s.e.enterToo()", "",
		engine, "TestDetach_TheLeaseIsKeptWithoutTheCaller",
	},
	{
		"a panic of a detached method lets others go on", detachGo,
		"if d.exited && errors.Is(howEnded(), errPanicked) {", "if false {",
		engine, "TestEndings_APanicOfADetachedMethodEndsTheProcessAsItWouldHave",
	},
	{
		"a caller goes on when his detached method has ended its goroutine", detachGo,
		"		runtime.Goexit()", "		_ = runtime.Goexit",
		engine, "TestEndings_EachLeavesOneCertainRow",
	},
	{
		"running methods are not told of a shutdown", closeGo,
		"		e.stopRuns()", "",
		engine, "TestShutdown_LetsRunningMethodsEndAndThenTellsThemTo",
	},
	{
		"a winner gets what others don't", "idem/complete.go",
		"r.e.config.storedResults && ", "false && ",
		engine, "TestStoredResults_TheWinnerGetsWhatAllOthersGet",
	},
}
