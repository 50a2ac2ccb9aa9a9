// Package nothing accepts losses of results of which nothing can be stored, and has some slips of the pen.
package nothing

import (
	"context"
	"io"
)

// Feed holds a channel, which json never writes.
type Feed struct {
	Name   string
	Events chan string
}

// Handle may be stored when it has no channel behind it.
type Handle struct {
	Name string
	Feed *Feed
	Call func() `json:"-"`
}

// Store asks for replays that can't be.
//
//idem:wrap
type Store interface {
	//idem:key id
	//idem:lossy never mind
	Watch(ctx context.Context, id string) (Feed, error)
	//idem:key id
	//idem:lossy never mind
	Open(ctx context.Context, id string) (io.Reader, error)
	//idem:key id
	//idem:lossy never mind
	Follow(ctx context.Context, id string) (<-chan string, error)
	//idem:key id
	//idem:lossy the handle is taken from the log
	Lookup(ctx context.Context, id string) (Handle, error)
	//idem:key id
	//idem:takeover rerun maxattempts +3
	Once(ctx context.Context, id string) error
	//idem:key id
	//idem:takeover rerun maxattempts 03
	Again(ctx context.Context, id string) error
	//idem:key id
	//idem:fingerprint exept note
	Say(ctx context.Context, id, note string) error
}
