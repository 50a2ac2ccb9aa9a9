// Package places has annotations where they mean nothing.
//
//idem:wrap
package places

import "context"

//idem:wrap
type number int

//idem:wrap
type record struct {
	//idem:key f
	f int
}

//idem:key n
func (n number) method() {}

//idem:wrap
var variable interface{ Do() }

// Lost has annotations around it.
//
//idem:wrap

type Lost interface { //idem:wrap
	//idem:key k

	A(ctx context.Context, k string) error
	B(ctx context.Context, k string) error //idem:key k
}

func inside() {
	//idem:wrap
	type local interface{ Do() }
	var _ local
}
