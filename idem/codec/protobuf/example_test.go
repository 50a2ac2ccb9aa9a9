package protobuf_test

import (
	"fmt"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/codec/protobuf"
)

func ExampleCodec() {
	ref := idem.Ref{Operation: "shop.Charge", Key: "order-7"}
	c := protobuf.Codec[*wrapperspb.StringValue]{}
	data, err := c.Encode(ref, wrapperspb.String("charge-1"))
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := c.Decode(ref, data)
	fmt.Println(c.Name(), m.GetValue(), err)
	// Output: proto charge-1 <nil>
}
