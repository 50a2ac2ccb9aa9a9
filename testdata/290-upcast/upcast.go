package upcast

import (
	"context"

	before "example.com/cases/290-upcast/old"
)

var _ = before.Total // else the import would be for the annotations alone

type Receipt struct {
	ID    string
	Price string
}

type receiptV1 struct {
	ID    string
	Cents int64
}

type receiptV2 struct {
	ID    string
	Price int64
}

func fromV1(r receiptV1) Receipt { return Receipt{ID: r.ID} }

func fromV2(r receiptV2) (Receipt, error) { return Receipt{ID: r.ID}, nil }

//idem:wrap
type Payments interface {
	// Charge has had two other shapes.
	//
	//idem:key id
	//idem:upcast a1369883537c9b06 fromV1
	//idem:upcast 39cc569d73c4965c fromV2
	Charge(ctx context.Context, id string) (Receipt, error)

	//idem:key res
	//idem:upcast 42ef07741df82cf8 before.Total
	Quote(ctx context.Context, res, old string) (int64, string, error)

	//idem:key id
	//idem:upcast 9f901424db3095df before.First[string]
	First(ctx context.Context, id string) (string, error)
}

//idem:wrap
type Box[T any] interface {
	//idem:key id
	//idem:upcast a1369883537c9b06 fromV1
	Get(ctx context.Context, id T2, v T) (Receipt, error)
}

type T2 = string
