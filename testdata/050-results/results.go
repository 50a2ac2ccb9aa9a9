// Package results returns nothing, one thing and several.
package results

import (
	"context"
	"time"
)

// Item is an item.
type Item struct {
	Name string
	Tags []string
	Next *Item
}

// Results returns them.
//
//idem:wrap
type Results interface {
	//idem:key id
	None(ctx context.Context, id string) error
	//idem:key id
	One(ctx context.Context, id string) (Item, error)
	//idem:key id
	Many(ctx context.Context, id string) (string, string, int, time.Time, [2]bool, *Item, error)
	//idem:key id
	Nilable(ctx context.Context, id string) (*Item, []Item, map[string]*Item, []byte, [][]byte, error)
}
