// Package ports has parameters named like packages.
package ports

import (
	"context"
	"net/url"
	"strings"
	"time"
)

var _ = strings.ToLower

// Ports passes.
//
//idem:wrap
type Ports interface {
	//idem:key strings.ToLower(url)
	Visit(context context.Context, url string, time int, idem bool) (time.Duration, error)
	//idem:key url
	Fetch(context context.Context, url string, time time.Time) (url.Values, error)
	//idem:skip
	Look(url url.URL, time time.Duration) *url.URL
}
