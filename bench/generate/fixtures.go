package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// This file writes the modules that the tools work on, and says what each has to do with them.

// small is a package with an interface for each tool.
const small = `package %s

import (
	"context"
	"net/netip"
	"time"
)

// Request is what a method gets.
type Request struct {
	Key    string
	Amount int64
	At     time.Time
	From   netip.Addr
	Tags   map[string]string
}

// Receipt is what it gives.
type Receipt struct {
	ID    string
	Lines []Line
	At    time.Time
}

// Line is a part of it.
type Line struct {
	Text  string
	Cents int64
}

// Store does things once.
%stype Store interface {
	%sCharge(ctx context.Context, req Request) (Receipt, error)
	%sRefund(ctx context.Context, req Request, reason string) (*Receipt, error)
	%sList(ctx context.Context, account string, limit int) ([]Receipt, error)
}

// Converter makes one of the other.
%stype Converter interface {
	Convert(source Line) Copy
}

// Copy is a line.
type Copy struct {
	Text  string
	Cents int64
}
`

// more are the other files of such a package.
const more = `package %[1]s

import (
	"fmt"
	"os"
	"sort"
)

// Total adds the lines up.
func (r Receipt) Total() (sum int64) {
	for _, l := range r.Lines {
		sum += l.Cents
	}
	return sum
}

// Sorted are the lines in order.
func (r Receipt) Sorted() []Line {
	lines := append([]Line(nil), r.Lines...)
	sort.Slice(lines, func(i, j int) bool { return lines[i].Text < lines[j].Text })
	return lines
}

// Print shows them.
func (r Receipt) Print() {
	for _, l := range r.Sorted() {
		fmt.Fprintln(os.Stdout, l.Text, l.Cents)
	}
}
`

const test = `package %[1]s

import "testing"

func TestTotal(t *testing.T) {
	if (Receipt{Lines: []Line{{"a", 1}, {"b", 2}}}).Total() != 3 {
		t.Error("the total is wrong")
	}
}
`

// writePackage writes a small one.
func writePackage(dir string, annotated bool) error {
	name := strings.ReplaceAll(filepath.Base(dir), "-", "")
	wrap, key, skip, convert := "", "", "", ""
	if annotated {
		wrap, key, skip, convert = "//\n//idem:wrap\n", "//idem:key req.Key\n\t", "//idem:skip\n\t", "//\n// goverter:converter\n"
	}
	source := fmt.Sprintf(small, name, wrap, key, key, skip, convert)
	return writeAll(dir, map[string]string{
		"a.go": source, "b.go": fmt.Sprintf(more, name), "a_test.go": fmt.Sprintf(test, name),
	})
}

func writeAll(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

const goMod = "module example.com/bench\n\ngo 1.26.0\n"

const mockeryConfig = `all: true
dir: "{{.InterfaceDir}}"
filename: mocks_test.go
pkgname: "{{.SrcPackageName}}"
packages:
  example.com/bench:
    config:
      recursive: true
      all: true
`

// many is a module of 200 packages.
func many(dir string, annotated int) error {
	for i := range 200 {
		if err := writePackage(filepath.Join(dir, fmt.Sprintf("p%03d", i)), i*annotated/200 < (i+1)*annotated/200); err != nil {
			return err
		}
	}
	return writeAll(dir, map[string]string{"go.mod": goMod, ".mockery.yml": mockeryConfig})
}

// over is a module with an interface over a large one of somebody else's.
func over(ctx context.Context, dir, importPath, version, source string) error {
	if _, err := os.Stat(filepath.Join(dir, "go.sum")); err == nil {
		return nil
	}
	fmt.Fprintln(os.Stderr, "downloading and building", importPath)
	if err := writeAll(dir, map[string]string{"go.mod": goMod, "a.go": source}); err != nil {
		return err
	}
	for _, args := range [][]string{{"get", importPath + "@" + version}, {"mod", "tidy"}, {"build", "./..."}} {
		if err := goCommand(ctx, dir, []string{"GOFLAGS=-mod=mod"}, args...); err != nil {
			return err
		}
	}
	return nil
}

const overK8s = `package bench

import "k8s.io/client-go/kubernetes"

// Store is the client.
//
//idem:wrap
//idem:skip *
type Store interface{ kubernetes.Interface }
`

const overS3 = `package bench

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Store is the client.
//
//idem:wrap
//idem:skip *
type Store interface {
	GetObject(ctx context.Context, params *s3.GetObjectInput, optFns ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	PutObject(ctx context.Context, params *s3.PutObjectInput, optFns ...func(*s3.Options)) (*s3.PutObjectOutput, error)
	ListObjectsV2(ctx context.Context, params *s3.ListObjectsV2Input, optFns ...func(*s3.Options)) (*s3.ListObjectsV2Output, error)
}
`

// prepare writes the fixtures and gives the work to do.
func prepare(ctx context.Context, root string, t tools) ([]*job, error) {
	at := func(name string) string { return filepath.Join(root, name) }
	one := at("one")
	if err := writePackage(one, true); err != nil {
		return nil, err
	}
	if err := writeAll(one, map[string]string{"go.mod": goMod}); err != nil {
		return nil, err
	}
	for name, annotated := range map[string]int{"none": 0, "some": 10, "all": 200, "again": 10} {
		if err := many(at(name), annotated); err != nil {
			return nil, err
		}
	}
	if err := over(ctx, at("k8s"), "k8s.io/client-go", "v0.37.2", overK8s); err != nil {
		return nil, err
	}
	if err := over(ctx, at("s3"), "github.com/aws/aws-sdk-go-v2/service/s3", "v1.114.10", overS3); err != nil {
		return nil, err
	}
	moq := command{name: "moq", tool: t.moq, args: []string{"-out", "moq_gen.go", ".", "Store"}}
	goverter := command{name: "goverter", tool: t.goverter, args: []string{"gen", "./..."}}
	mockery := command{name: "mockery", tool: t.mockery}
	std := []string{"context", "net/netip", "time"}
	ways, err := waysOf(ctx, at, t)
	if err != nil {
		return nil, err
	}
	noGo, empty := at("bin-without-go"), at("empty-build-cache")
	if err := os.MkdirAll(noGo, 0o777); err != nil {
		return nil, err
	}
	cold := ways.nothing(5, ".")
	cold.env, cold.before = []string{"GOCACHE=" + empty}, func() error { return os.RemoveAll(empty) }
	none := ways.all(0.030, "./...")
	none.env = append(none.env, "PATH="+noGo)
	return []*job{
		{
			name: "one small package", dir: one, rival: "moq", memory: 80, fresh: true, others: []command{moq, goList(std...)},
			ours: []command{ways.nothing(0.60, "."), ways.elsewhere(0.60, "."), ways.all(0.60, ".")},
		},
		{
			name: "10 of 200 packages annotated", dir: at("some"), rival: "goverter", memory: 80, fresh: true, others: []command{goverter, goList(std...)},
			ours: []command{ways.nothing(0.15, "./..."), ways.elsewhere(0.15, "./..."), ways.all(0.15, "./...")},
		},
		{
			name: "all 200 annotated", dir: at("all"), rival: "goverter", memory: 80, fresh: true, others: []command{goverter, mockery, goList(std...)},
			ours: []command{ways.nothing(0.27, "./..."), ways.elsewhere(0.27, "./..."), ways.all(0.27, "./...")},
		},
		{
			name: "k8s client-go", dir: at("k8s"), rival: "moq", memory: 80, fresh: true,
			others: []command{moq, goList("context", "time", "k8s.io/client-go/kubernetes")},
			ours:   []command{ways.nothing(0.80, "."), ways.all(0.25, ".")},
		},
		{
			name: "aws s3", dir: at("s3"), rival: "moq", memory: 80, fresh: true,
			others: []command{moq, goList("context", "time", "github.com/aws/aws-sdk-go-v2/service/s3")},
			ours:   []command{ways.nothing(0.70, "."), ways.all(0.70, ".")},
		},
		{name: "nothing annotated in 200, no go command there", dir: at("none"), memory: 80, ours: []command{none}},
		{name: "unchanged, 10 of 200 annotated", dir: at("again"), memory: 80, ours: []command{ways.all(0.040, "./...")}},
		{name: "k8s client-go, build cache empty", dir: at("k8s"), fresh: true, seldom: true, ours: []command{cold}},
	}, nil
}
