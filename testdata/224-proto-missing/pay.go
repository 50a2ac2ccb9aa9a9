// Package pay returns protobuf messages, and its module does not require what stores them.
package pay

import (
	"context"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Receipt is generated.
type Receipt struct {
	state int
	Id    string
}

// ProtoMessage marks it.
func (*Receipt) ProtoMessage() {}

// ProtoReflect makes it a message.
func (*Receipt) ProtoReflect() protoreflect.Message { return nil }

// GetId is generated.
func (*Receipt) GetId() string { return "" }

//idem:wrap
type Payments interface {
	//idem:key id
	Charge(ctx context.Context, id string) (*Receipt, error)
	//idem:key id
	//idem:codec proto
	Refund(ctx context.Context, id string) (*Receipt, error)
}
