package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator"
)

// This file is the command that looks at the code around the wrappers. The go command does the work, with this program as its vet tool: it
// knows the packages and what has changed, and asks only about that.

func setupVet(f *flags) action {
	var dir, tags string
	var asJSON, fix bool
	f.text(&dir, "C", "DIR", "change to DIR before anything else")
	f.text(&tags, "tags", "LIST", "build tags, comma-separated")
	f.on(&asJSON, "json", "print everything as JSON to standard output, one object a line")
	f.on(&fix, "fix", "mend what can be mended without a decision, and report the rest")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		v := vetting{dir: dir, tags: tags, patterns: args}
		found, err := v.run(ctx, fix, stderr)
		result := &generator.Result{Diagnostics: found} // with an error, those of the packages that compile
		if asJSON {
			said := reportJSON(wish{}, result, nil, stdout)
			if err != nil {
				return reportJSON(wish{}, nil, err, stdout)
			}
			return said
		}
		return cmp.Or(err, report(wish{}, result, stdout, stderr))
	}
}

// vetting is one run of go vet.
type vetting struct {
	dir, tags string
	patterns  []string
}

func (v vetting) run(ctx context.Context, fix bool, stderr io.Writer) ([]generator.Diagnostic, error) {
	if fix {
		if _, err := v.goVet(ctx, stderr, "-fix"); err != nil {
			return nil, err
		}
	}
	out, failure := v.goVet(ctx, stderr, "-json")
	found, err := v.read(out)
	return found, cmp.Or(failure, err)
}

// goVet runs go vet with this program, and returns what is on its standard output, also when some packages don't compile.
func (v vetting) goVet(ctx context.Context, stderr io.Writer, mode string) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{"vet", "-vettool=" + self, mode}
	if v.tags != "" {
		args = append(args, "-tags="+v.tags)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, v.patterns...)...)
	cmd.Dir = v.dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && ctx.Err() == nil:
		_, _ = stderr.Write(errs.Bytes()) // the go command's own words: which package does not compile, and why
		return out.Bytes(), errors.New("go vet failed; see above")
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("there is no go command in PATH; install Go (https://go.dev/dl), or add the folder it is in to PATH")
	case err != nil:
		return nil, fmt.Errorf("go vet: %w", cmp.Or(ctx.Err(), err))
	}
	return out.Bytes(), nil
}

// finding is one in go vet's JSON.
type finding struct {
	Posn    string `json:"posn"`
	Message string `json:"message"`
}

// read makes diagnostics of go vet's output: objects that hold, by package and analyzer, findings or an error.
func (v vetting) read(out []byte) ([]generator.Diagnostic, error) {
	var found []generator.Diagnostic
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		var units map[string]map[string]json.RawMessage
		switch err := in.Decode(&units); {
		case errors.Is(err, io.EOF):
			return sorted(found), nil
		case err != nil:
			return nil, fmt.Errorf("go vet printed something else than JSON: %w", err)
		}
		for unit, analyzers := range units {
			for _, text := range analyzers {
				var list []finding
				if err := json.Unmarshal(text, &list); err != nil {
					return nil, fmt.Errorf("%s: %s", unit, text)
				}
				for _, f := range list {
					found = append(found, v.diagnostic(f))
				}
			}
		}
	}
}

// diagnostic is a finding in this program's form.
func (v vetting) diagnostic(f finding) generator.Diagnostic {
	d := generator.Diagnostic{Severity: generator.Error, Text: f.Message}
	rest, col := lastNumber(f.Posn)
	d.File, d.Line = lastNumber(rest)
	d.Col = col
	if dir, err := filepath.Abs(v.dir); err == nil {
		if rel, err := filepath.Rel(dir, d.File); err == nil && len(rel) < len(d.File) {
			d.File = rel
		}
	}
	if text, code, ok := strings.Cut(strings.TrimSuffix(d.Text, "]"), " [IDEM"); ok {
		d.Text, d.Code = text, "IDEM"+code
	}
	return d
}

func lastNumber(text string) (string, int) {
	i := strings.LastIndexByte(text, ':')
	n, err := strconv.Atoi(text[i+1:])
	if i < 0 || err != nil {
		return text, 0
	}
	return text[:i], n
}

// sorted orders findings by place. A package that is also built for its tests says everything twice.
func sorted(found []generator.Diagnostic) []generator.Diagnostic {
	slices.SortFunc(found, func(a, b generator.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(found)
}
