// Package many forwards more methods than a line has room for.
package many

import (
	"context"
	"database/sql/driver"
	"io/fs"
	"net"
	"net/http"
)

// Many has methods of many others.
//
//idem:wrap
//idem:skip *
type Many interface {
	fs.FileInfo
	net.Conn
	http.RoundTripper
	http.Pusher
	driver.Execer
	driver.ConnBeginTx
	// Keyed is the one that counts.
	//
	//idem:key id
	Keyed(ctx context.Context, id string) error
	// After is forwarded, too.
	After()
}
