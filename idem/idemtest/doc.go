// Package idemtest helps to test code that uses package idem: services behind wrappers, the engine, and stores.
//
// For the tests of a service, [NewStore] is a store in memory, with the semantics of a real one, a clock that a test moves
// and faults that a test injects:
//
//	store := idemtest.NewStore()
//	engine, err := idem.New(store)
//	…
//	store.Inject(idemtest.StepComplete, idemtest.Fault{Do: idemtest.LoseAnswer})
//
// [Crash] kills the processes of a service behind its wrapper at every point of a call, and checks what those who come after it get.
//
// [RoundTrip] and [FuzzRoundTrip] show that an operation's results come back from storage as they were; tests that idemgen writes with
// -tests call them.
//
// For the tests of a store, [TestStore] is the conformance suite that every store has to pass.
//
// For both there are a few words that tests of concurrent code are made of: a [Gate] blocks a method until the test
// says so, [Callers] are released at once, [NoLeaks] says that no goroutine stays behind, and a [Cut] stands between a
// client and Postgres and loses answers.
package idemtest
