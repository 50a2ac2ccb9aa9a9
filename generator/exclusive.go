package generator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// This file keeps runs that go on at the same time, as of go generate in several packages at once, from undoing what each other wrote into an
// idem.lock: from reading one to writing it again, a run has it to itself. A lock of the operating system on the module's folder does that, which
// leaves nothing behind when a process is killed. Where there is none, write.go sees that the file has changed meanwhile.

// exclusive waits for the module folders of the files idem.lock, which are sorted, so that no two runs wait for each other. Release gives them
// back, and must be called.
func exclusive(ctx context.Context, paths []string) (release func(), err error) {
	var held []*os.File
	release = func() {
		for _, f := range held {
			_ = f.Close()
		}
	}
	for _, path := range paths {
		f, err := os.Open(filepath.Dir(path))
		if err != nil {
			release()
			return nil, err
		}
		held = append(held, f)
		if err := await(ctx, f); err != nil {
			release()
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return release, nil
}

// await locks f. Runs hold it for some milliseconds; one that takes as long as this is stopped, say.
func await(ctx context.Context, f *os.File) error {
	const pause, patience = 5 * time.Millisecond, 30 * time.Second
	for began := time.Now(); ; {
		switch free, err := tryLock(f); {
		case err != nil: // this file system has no locks
			return nil
		case free:
			return nil
		case time.Since(began) > patience:
			return errors.New("another idemgen has been writing it for long; end that, and run idemgen again")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
