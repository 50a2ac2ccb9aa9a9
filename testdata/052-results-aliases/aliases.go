// Package aliases keeps aliases as they are written.
package aliases

import (
	"context"
	"io/fs"
	"os"
)

type short = map[string][]os.DirEntry

// Set is a generic alias.
type Set[T comparable] = map[T]struct{}

// Disk is full of aliases.
//
//idem:wrap
//idem:skip *
type Disk interface {
	//idem:key key
	Copy(ctx context.Context, key string, mode os.FileMode, sep rune, b byte) (Set[string], error)
	List(dir string) (short, os.FileInfo, fs.FileInfo, any)
}
