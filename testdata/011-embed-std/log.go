// Package log embeds interfaces of the standard library.
package log

import (
	"context"
	"fmt"
	"io"
	"sort"
)

// Log takes lines.
//
//idem:wrap
//idem:skip *
type Log interface {
	io.ReadWriteCloser
	fmt.Stringer
	sort.Interface
	//idem:key id
	Append(ctx context.Context, id string, line []byte) (int64, error)
}
