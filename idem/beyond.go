package idem

import "fmt"

// This file refuses what an Operation can ask for and this release can't do, and what of a call does not go with its operation. Ignored, each
// of these would be a promise broken in silence: a charge made again that should have been looked for, an outcome that does not commit with
// its effect.

// beyond says what of the operation is beyond this release, or about nothing.
func (op *Operation[T]) beyond() (reason string) {
	switch {
	case op.Tx > TxOptimistic:
		return "its transaction mode is none that is known"
	case op.Tx != TxOff && op.Takeover != TakeoverRerun:
		return "under a transaction nothing is left to ask or to hold: a crash rolls the effect back"
	case op.Tx == TxJoin && op.Detach:
		return "a detached method would outlive its caller, in its caller's transaction"
	}
	for _, r := range op.Errors {
		switch {
		case r.match == nil:
			return "one of its error rules is about no error: its target was nil when the rule was made"
		case r.class == final && (len(r.code) > maxOperation || !printable(r.code) || r.code == ""):
			return fmt.Sprintf("the code of a final error must have 1 to %d bytes of UTF-8 without control characters", maxOperation)
		}
	}
	return finalReason(op.Errors)
}

// beyond says what of the call is beyond this release, or does not go with its operation.
func (c *Call[T]) beyond(op *Operation[T]) (reason string) {
	switch {
	case c.Recover == nil && op.Takeover == TakeoverRecover:
		return "it is taken over by recover, and the call has no Recover to ask"
	case c.Recover != nil && op.Takeover != TakeoverRecover:
		return "the call has a Recover, which is for take-over by recover only"
	}
	return ""
}
