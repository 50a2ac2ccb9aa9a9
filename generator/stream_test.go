package generator

import (
	"slices"
	"strings"
	"testing"
)

// TestF10: a stream is read once. Stored, it would be garbage or nothing, so it is refused before there is anything to store.
func TestF10_ResultsThatAreStreamsAreRefusedAtTheirPlace(t *testing.T) {
	t.Parallel()
	source := `package stream

import (
	"bytes"
	"context"
	"io"
)

type Report struct {
	Name string
	Body io.Reader
}

//idem:wrap
type Streams interface {
	//idem:key id
	Reader(ctx context.Context, id string) (io.Reader, error)
	//idem:key id
	Closer(ctx context.Context, id string) (io.ReadCloser, error)
	//idem:key id
	Channel(ctx context.Context, id string) (<-chan int, error)
	//idem:key id
	Function(ctx context.Context, id string) (func() ([]byte, error), error)
	//idem:key id
	Buffer(ctx context.Context, id string) (*bytes.Buffer, error)
	//idem:key id
	Field(ctx context.Context, id string) (Report, error)
	//idem:key id
	Bytes(ctx context.Context, id string) ([]byte, error)
}
`
	root := tree(t, "go.mod: module m\n\ngo 1.26\n", "stream/s.go: "+source)
	files, said, r := outcome(t, root, Options{Patterns: []string{"./stream"}})
	want := []string{
		"stream/s.go:17:42 IDEM040", "stream/s.go:19:42 IDEM040", "stream/s.go:21:43 IDEM040",
		"stream/s.go:23:44 IDEM040", "stream/s.go:25:42 IDEM040", "stream/s.go:27:41 IDEM040",
	}
	if len(files) != 0 || !slices.Equal(said, want) {
		t.Errorf("files %v, said %v; want %v", files, said, want)
	}
	if text := r.Diagnostics[len(r.Diagnostics)-1].Text; !strings.Contains(text, "Report.Body") {
		t.Errorf("it does not say where the reader is: %s", text)
	}
}
