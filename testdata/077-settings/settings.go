// Package settings has every setting.
package settings

import "context"

// Settings says everything.
//
//idem:wrap
//idem:ttl 48h
type Settings interface {
	//idem:key k
	//idem:policy poll 20s
	//idem:stale 90s norenew
	//idem:takeover hold maxattempts 3
	A(ctx context.Context, k string) error
	//idem:key k
	//idem:policy conflict
	//idem:stale 1500ms
	//idem:ttl forever
	//idem:takeover rerun
	B(ctx context.Context, k string) (int, error)
	//idem:policy poll
	// C has text between its annotations.
	//idem:key k
	//idem:stale 1h30m
	//idem:ttl 1h
	C(ctx context.Context, k string) error
	//idem:key k
	//idem:op settings.d
	//idem:ttl 1s1us
	D(ctx context.Context, k string) error
}

// Defaults gives settings to its methods.
//
//idem:wrap
//idem:policy conflict
//idem:stale 2m
//idem:takeover hold
type Defaults interface {
	//idem:key k
	A(ctx context.Context, k string) error
	//idem:key k
	//idem:policy poll
	B(ctx context.Context, k string) error
}
