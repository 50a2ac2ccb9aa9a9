// Package grouped declares interfaces in groups.
package grouped

import "context"

type (
	// Zeta is first.
	//
	//idem:wrap
	Zeta interface {
		//idem:key k
		Do(ctx context.Context, k string) error
	}

	// Middle is not wrapped.
	Middle interface{ Do() }

	//idem:wrap
	Alpha interface {
		//idem:key k
		Do(ctx context.Context, k string) error
	}
)
