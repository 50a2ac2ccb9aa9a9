// Package not mentions annotations, //idem:wrap among them, and has none. Write them like this:
//
//	//idem:wrap
//	type Bank interface {
//		//idem:key id
//		Pay(ctx context.Context, id string) error
//	}
package not

// idem: the same as above.
// idempotent: yes.
//idempotent:wrap
//go:generate echo idem:wrap

/*
An old version:

	//idem:wrap
	type Bank interface{}
*/

// Text holds what an annotation looks like.
const Text = "//idem:wrap" + `
//idem:wrap
type Bank interface{}
`

// Bank is not wrapped. See //idem:wrap.
type Bank interface{ Pay() }
