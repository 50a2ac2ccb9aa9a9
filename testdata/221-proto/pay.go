// Package pay returns protobuf messages.
package pay

import (
	"context"

	"example.com/proto/pb"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Payments needs no annotation for its messages.
//
//idem:wrap
type Payments interface {
	//idem:key id
	Charge(ctx context.Context, id string) (*pb.Receipt, error)
	//idem:key id
	//idem:codec proto
	Line(ctx context.Context, id string) (*pb.Line, error)
	// Count is stored as json.
	//
	//idem:key id
	Count(ctx context.Context, id string) (int, error)
}

// Box does not know its message.
//
//idem:wrap
type Box[M protoreflect.ProtoMessage] interface {
	//idem:key id
	//idem:codec proto
	Put(ctx context.Context, id string) (M, error)
	//idem:key id
	Get(ctx context.Context, id string) (M, error)
}

// protobuf is in the way of an import.
type protobuf struct{}
