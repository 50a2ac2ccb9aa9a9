//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package generator

import (
	"errors"
	"os"
	"syscall"
)

// This file locks folders where the system has flock.

func tryLock(f *os.File) (free bool, err error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		}
		return err == nil, err
	}
}
