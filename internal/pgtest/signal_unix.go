//go:build unix

package pgtest

import (
	"errors"
	"syscall"
)

// This file signals processes that are not our children: backends of a server.

func suspend(pid int) error { return syscall.Kill(pid, syscall.SIGSTOP) }

// resume lets a suspended process go on. One that has ended meanwhile needs nothing.
func resume(pid int) error { return unlessGone(syscall.Kill(pid, syscall.SIGCONT)) }

func terminate(pid int) error { return unlessGone(syscall.Kill(pid, syscall.SIGTERM)) }

func unlessGone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
