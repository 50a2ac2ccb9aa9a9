package generator

import (
	"context"
	"errors"
	"fmt"
	"go/token"

	"golang.org/x/tools/go/packages"
)

// This file is what the loaders have in common. There are two: lean (lean.go) is fast and knows its limits, whole (whole.go) leaves
// everything to the go command. What lean is not sure of, whole does.

// loader type-checks packages.
type loader interface {
	load(context.Context, request) (*loaded, error)
}

// request is what has to be loaded.
type request struct {
	options Options
	dir     string // the working directory
	found   *found
	folders []string    // packages, with their test files
	more    []elsewhere // others that only declare what those embed
}

// elsewhere is a package that was not asked for.
type elsewhere struct{ path, folder string }

// loaded is what came of it.
type loaded struct {
	fset     *token.FileSet
	packages []*packages.Package
	texts    map[string][]byte // of the files, by the name that fset knows them by
	inputs   []string          // what was read besides what the scan has read: files and folders; nil: nobody knows
}

// loaderFor is the loader that the options ask for.
func loaderFor(o Options) loader {
	switch {
	case o.loader != nil:
		return o.loader
	case o.Load == LoadWhole:
		return whole{}
	case o.Load == LoadSource:
		return careful{first: &lean{source: true}, last: whole{}}
	default:
		return careful{first: &lean{}, last: whole{}}
	}
}

// unsure is the error of a loader that could be wrong if it went on.
type unsure struct {
	where, why string // a folder or an import path, or empty; the reason is for people who look into the loader
}

func (u unsure) Error() string {
	if u.where == "" {
		return u.why
	}
	return fmt.Sprintf("%s: %s", u.where, u.why)
}

// careful asks first, and last where that is not sure.
type careful struct{ first, last loader }

func (c careful) load(ctx context.Context, q request) (*loaded, error) {
	l, err := c.first.load(ctx, q)
	if errors.As(err, new(unsure)) {
		return c.last.load(ctx, q)
	}
	return l, err
}
