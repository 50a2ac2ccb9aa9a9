// Package pb is as protoc-gen-go writes it, as far as types go.
package pb

import "google.golang.org/protobuf/reflect/protoreflect"

// State is an enum.
type State int32

// Receipt is a message of many fields.
type Receipt struct {
	state  protoreflect.Message
	Id     string            `protobuf:"bytes,1,opt,name=id,proto3" json:"id,omitempty"`
	Cents  int64             `protobuf:"varint,2,opt,name=cents,proto3" json:"cents,omitempty"`
	Note   *string           `protobuf:"bytes,3,opt,name=note,proto3,oneof" json:"note,omitempty"`
	State  State             `protobuf:"varint,4,opt,name=state,proto3,enum=pb.State" json:"state,omitempty"`
	Lines  []*Line           `protobuf:"bytes,5,rep,name=lines,proto3" json:"lines,omitempty"`
	Labels map[string]*Line  `protobuf:"bytes,6,rep,name=labels,proto3" json:"labels,omitempty" protobuf_key:"bytes,1,opt,name=key" protobuf_val:"bytes,2,opt,name=value"`
	Counts map[int32]float64 `protobuf:"bytes,7,rep,name=counts,proto3" json:"counts,omitempty" protobuf_key:"varint,1,opt,name=key" protobuf_val:"fixed64,2,opt,name=value"`
	Raw    []byte            `protobuf:"bytes,8,opt,name=raw,proto3" json:"raw,omitempty"`
	Deltas []int32           `protobuf:"zigzag32,20,rep,packed,name=deltas,proto3" json:"deltas,omitempty"`
	Rate   float32           `protobuf:"fixed32,10,opt,name=rate,proto3" json:"rate,omitempty"`
	// Types that are valid to be assigned to Paid:
	//
	//	*Receipt_Card
	//	*Receipt_Line
	Paid    isReceipt_Paid `protobuf_oneof:"paid"`
	unknown []byte
}

type isReceipt_Paid interface{ isReceipt_Paid() }

// Receipt_Card is one of Paid.
type Receipt_Card struct {
	Card string `protobuf:"bytes,11,opt,name=card,proto3,oneof"`
}

// Receipt_Line is one of Paid.
type Receipt_Line struct {
	Line *Line `protobuf:"bytes,12,opt,name=line,proto3,oneof"`
}

func (*Receipt_Card) isReceipt_Paid() {}

func (*Receipt_Line) isReceipt_Paid() {}

// ProtoReflect makes it a message.
func (*Receipt) ProtoReflect() protoreflect.Message { return nil }

// Line leads back to itself.
type Line struct {
	state protoreflect.Message
	Sku   string  `protobuf:"bytes,1,opt,name=sku,proto3" json:"sku,omitempty"`
	Parts []*Line `protobuf:"bytes,2,rep,name=parts,proto3" json:"parts,omitempty"`
}

// ProtoReflect makes it a message.
func (*Line) ProtoReflect() protoreflect.Message { return nil }
