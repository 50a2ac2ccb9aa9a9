// Package many has mistakes with much to name.
package many

import (
	"context"

	"example.com/cases/353-many/base"
)

// Options come back as nil.
type Options struct {
	Tags00 []string `json:",omitempty"`
	Tags01 []string `json:",omitempty"`
	Tags02 []string `json:",omitempty"`
	Tags03 []string `json:",omitempty"`
	Tags04 []string `json:",omitempty"`
	Tags05 []string `json:",omitempty"`
	Tags06 []string `json:",omitempty"`
	Tags07 []string `json:",omitempty"`
	Tags08 []string `json:",omitempty"`
	Tags09 []string `json:",omitempty"`
	Tags10 []string `json:",omitempty"`
	Tags11 []string `json:",omitempty"`
}

// Service wraps both.
//
//idem:wrap
type Service interface {
	base.Client
	//idem:key k
	Put(ctx context.Context, k string) (Options, error)
}
