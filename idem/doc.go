// Package idem runs methods at most once per idempotency key. It is what the code that idemgen writes calls, and can be
// called by hand for any function: see [Do].
//
// A call goes claim → run → complete. The claim is a row in a [Store], won by exactly one call; the winner runs the
// method and stores its result; every other call of the same key and arguments waits for it, or is told that it is in
// flight, and then gets the same result back. A claim whose owner died lapses and is taken over.
//
// Where nobody but a person can find out what became of a run, an [Admin] shows its claim, and [Decide] carries out what was found.
//
// What is promised, in this order: at most one stored outcome per operation, scope and key within its retention; no two
// runs start inside one valid lease; no caller hangs on a dead winner; after a success nothing of ours invites a second
// run. It is not promised that an outside effect happens once when a winner dies or stalls past its lease: hand
// [Run.DownstreamKey] to the system that has the effect.
package idem
