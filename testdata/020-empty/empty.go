// Package empty has nothing to wrap.
package empty

// Mark is empty.
//
//idem:wrap
type Mark interface{}

// Whatever is any.
//
//idem:wrap
type Whatever = any
