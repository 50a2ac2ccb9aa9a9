// Package protoreflect has as much of the real one as tells a message.
package protoreflect

// Message is what a message shows of itself.
type Message interface{ IsValid() bool }

// ProtoMessage is any message.
type ProtoMessage interface{ ProtoReflect() Message }
