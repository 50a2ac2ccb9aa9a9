// Package pay returns protobuf messages.
package pay

import (
	"context"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Receipt is generated.
type Receipt struct {
	state int
	ID    string
}

// ProtoReflect makes it a message.
func (*Receipt) ProtoReflect() protoreflect.Message { return nil }

//idem:wrap
type Payments[M protoreflect.ProtoMessage] interface {
	//idem:key id
	Charge(ctx context.Context, id string) (*Receipt, error)
	//idem:key id
	//idem:codec proto
	Refund(ctx context.Context, id string) (*Receipt, error)
	//idem:key id
	//idem:codec proto
	Value(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:codec proto
	Any(ctx context.Context, id string) (protoreflect.ProtoMessage, error)
	//idem:key id
	//idem:codec proto
	Generic(ctx context.Context, id string) (M, error)
	//idem:key id
	//idem:codec json
	JSON(ctx context.Context, id string) (*Receipt, error)
}
