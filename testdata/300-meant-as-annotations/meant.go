// Package meant has comments that were meant as annotations, in every way to miss.
package meant

import "context"

// Bank moves money.
//
//idem:wrap
//idem:skip *
type Bank interface {
	// idem:key id
	Blank(ctx context.Context, id string) error
	//	idem:key id
	Tab(ctx context.Context, id string) error
	// +idem:key id
	Marker(ctx context.Context, id string) error
	///idem:key id
	ThreeSlashes(ctx context.Context, id string) error
	//Idem:key id
	Case(ctx context.Context, id string) error
	//idemgen:key id
	Tool(ctx context.Context, id string) error
	//idem key id
	NoColon(ctx context.Context, id string) error
	//idem :key id
	LateColon(ctx context.Context, id string) error
	/* idem:key id */
	Block(ctx context.Context, id string) error
	/*
		InBlock is documented at length.
		idem:key id
	*/
	InBlock(ctx context.Context, id string) error
	//idem:key: id
	ColonAfter(ctx context.Context, id string) error
	//idem:key(id)
	Call(ctx context.Context, id string) error
	//idem:idempotent id
	Unknown(ctx context.Context, id string) error
}

func _() {
	//idem:key id
	_ = 0 //idem:skip
}
