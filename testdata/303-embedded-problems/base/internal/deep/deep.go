// Package deep is internal.
package deep

// Sea is deep.
type Sea int
