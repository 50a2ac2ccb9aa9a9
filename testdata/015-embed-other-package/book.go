// Package book wraps what another package annotated.
package book

import "example.com/cases/015-embed-other-package/base"

// Book is nothing of its own.
//
//idem:wrap
type Book interface {
	base.Store
	base.Pages[*base.Point]
}
