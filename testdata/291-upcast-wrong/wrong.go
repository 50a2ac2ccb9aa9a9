package wrong

import "context"

type Receipt struct{ Price string }

type old struct{ Cents int64 }

type Box[T any] struct{ V T }

func fine(old) Receipt              { return Receipt{} }
func two(old, int) Receipt          { return Receipt{} }
func none() Receipt                 { return Receipt{} }
func many(...old) Receipt           { return Receipt{} }
func other(old) string              { return "" }
func more(old) (Receipt, bool)      { return Receipt{}, false }
func pointer(old) (*Receipt, error) { return nil, nil }
func generic[T any](T) Receipt      { return Receipt{} }
func (old) method() Receipt         { return Receipt{} }

var variable = fine

//idem:wrap
type Payments interface {
	//idem:key id
	//idem:upcast
	A(ctx context.Context, id string) (Receipt, error)

	//idem:key id
	//idem:upcast 123 fine
	//idem:upcast 0123456789abcdef
	B(ctx context.Context, id string) (Receipt, error)

	//idem:key id
	//idem:upcast 0123456789abcdef fine
	//idem:upcast 0123456789abcdef fine
	C(ctx context.Context, id string) (Receipt, error)

	//idem:key id
	//idem:upcast 0000000000000001 two
	//idem:upcast 0000000000000002 none
	//idem:upcast 0000000000000003 many
	//idem:upcast 0000000000000004 other
	//idem:upcast 0000000000000005 more
	//idem:upcast 0000000000000006 pointer
	//idem:upcast 0000000000000007 generic
	//idem:upcast 0000000000000008 variable
	//idem:upcast 0000000000000009 old.method
	//idem:upcast 000000000000000a func(old) Receipt { return Receipt{} }
	//idem:upcast 000000000000000b missing
	//idem:upcast 000000000000000c id
	//idem:upcast 000000000000000d generic[
	D(ctx context.Context, id string) (Receipt, error)

	//idem:key id
	//idem:upcast 0123456789abcdef fine
	E(ctx context.Context, id string) error

	//idem:upcast 0123456789abcdef fine
	//idem:skip
	F(ctx context.Context, id string) error
}

//idem:wrap
type Boxes[T any] interface {
	//idem:key id
	//idem:upcast 0123456789abcdef fine
	Get(ctx context.Context, id string) (Box[T], error)
}
