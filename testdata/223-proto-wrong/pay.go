// Package pay returns protobuf messages that can't be stored.
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
type Payments interface {
	//idem:key id
	//idem:codec proto
	Value(ctx context.Context, id string) (Receipt, error)
	//idem:key id
	//idem:codec proto
	Any(ctx context.Context, id string) (protoreflect.ProtoMessage, error)
	//idem:key id
	AnyUnsaid(ctx context.Context, id string) (protoreflect.ProtoMessage, error)
	//idem:key id
	//idem:codec json
	JSON(ctx context.Context, id string) (*Receipt, error)
	//idem:key id
	Two(ctx context.Context, id string) (*Receipt, int, error)
	//idem:key id
	//idem:codec proto
	TwoSaid(ctx context.Context, id string) (*Receipt, int, error)
	//idem:key id
	//idem:lossy nobody looks at it
	Lossy(ctx context.Context, id string) (*Receipt, error)
}
