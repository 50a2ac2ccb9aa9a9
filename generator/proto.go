package generator

import (
	"fmt"
	"go/types"
)

// This file is about results that are protobuf messages. They are stored by codec proto, which this version does not have; json would lose
// parts of them.

// protobuf tells whether t has the method that all messages have.
func protobuf(t types.Type) bool {
	o, _, _ := types.LookupFieldOrMethod(t, false, nil, "ProtoReflect")
	f, ok := o.(*types.Func)
	return ok && f.Signature().Params().Len() == 0 && f.Signature().Results().Len() == 1 &&
		namedAs(f.Signature().Results().At(0).Type(), "google.golang.org/protobuf/reflect/protoreflect", "Message")
}

// protoFits wants a message where //idem:codec proto stands.
func (e *environment) protoFits(m *method) {
	at := e.note.at(0)
	if n := len(m.Results); n > 1 {
		e.fail(at, codeCodec, "proto stores one message, and `%s` returns %d results beside the error; return one message, or name a generic codec", e.method, n)
		return
	}
	t := m.Results[0]
	_, param := types.Unalias(t).(*types.TypeParam)
	switch name := e.typeString(t); {
	case protobuf(t) && types.IsInterface(t) && !param:
		e.fail(at, codeCodec, "`%s` returns the interface `%s`, and proto can't tell which message to make; return the message's own type", e.method, name)
	case protobuf(t):
		e.r.lacks(e.s, at, "`codec proto`", "write an idem.Codec for `"+name+"`, and name it instead")
	case protobuf(types.NewPointer(t)):
		e.fail(at, codeCodec, "`%s` is no protobuf message, but its pointer is; return `*%s`", name, name)
	default:
		e.fail(at, codeCodec, "`%s` is no protobuf message; delete the line, or name a codec for it", name)
	}
}

// storedAsJSON tells whether json is what the results of m have to survive, and reports a message that nobody can store yet.
func (c *checker) storedAsJSON(w *wrapper, m *method) bool {
	switch m.Stored {
	case storedOwn, storedProto:
		return false
	case storedUnsaid:
		if len(m.Results) == 1 && protobuf(m.Results[0]) {
			c.lacks(c.made.source, m.Returns[0], fmt.Sprintf("result 1 of keyed method `%s` is a protobuf message, and codec proto", w.method(m)),
				"json would lose parts of it; write an idem.Codec for it, and name that with `//idem:codec NAME`")
			return false
		}
	}
	return true
}
