// Package overlap embeds one method twice, annotated once.
package overlap

import "context"

type plain interface {
	Flush(ctx context.Context, id string) error
}

type keyed interface {
	//idem:key id
	Flush(ctx context.Context, id string) error
}

// Buffer has one Flush.
//
//idem:wrap
type Buffer interface {
	plain
	keyed
}
