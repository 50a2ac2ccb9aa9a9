package generator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestExclusive_OneAtATime(t *testing.T) {
	t.Parallel()
	paths := []string{filepath.Join(t.TempDir(), "idem.lock"), filepath.Join(t.TempDir(), "idem.lock")}
	release, err := exclusive(t.Context(), paths)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if again, err := exclusive(ended, paths[1:]); !errors.Is(err, context.Canceled) {
		t.Errorf("a second one: %v", err)
		again()
	}
	release()
	again, err := exclusive(ended, paths)
	if err != nil {
		t.Fatal(err)
	}
	again()
}

func TestLock_RunsAtTheSameTimeKeepWhatEachOtherWrote(t *testing.T) {
	t.Parallel()
	const runs = 8
	files := []string{"go.mod: module m\n\ngo 1.26\n"}
	for i := range runs {
		files = append(files, fmt.Sprintf("p%d/p.go: package p%d", i, i)+importContext+keyed("Store"))
	}
	root := tree(t, files...)
	var wait sync.WaitGroup
	for i := range runs {
		wait.Go(func() {
			r, err := Run(t.Context(), Options{Dir: root, Patterns: []string{fmt.Sprintf("./p%d", i)}, Write: true})
			if err != nil || len(r.Diagnostics) > 0 {
				t.Error(err, r)
			}
		})
	}
	wait.Wait()
	text, err := os.ReadFile(filepath.Join(root, "idem.lock"))
	if n := strings.Count(string(text), "operation "); err != nil || n != runs {
		t.Errorf("%d of %d operations are recorded (%v)", n, runs, err)
	}
}
