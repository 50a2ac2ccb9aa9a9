package generator

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// This file says what kept the go command from doing its work, and what to do then.

// goFailed is err in words for people, if it is the go command's.
func goFailed(err error) error {
	if errors.Is(err, exec.ErrNotFound) || strings.Contains(err.Error(), "go command required, not found") {
		return errors.New("there is no go command in PATH; install Go (https://go.dev/dl), or add the folder it is in to PATH")
	}
	if text, said := strings.CutPrefix(err.Error(), "err: "); said { // as the packages driver hands on what it was told
		if _, why, found := strings.Cut(text, ": stderr: "); found && strings.TrimSpace(why) != "" {
			return fmt.Errorf("the go command failed (%s); mend that first", strings.TrimSpace(why))
		}
	}
	return err
}

// noModules tells whether a package's path is none, but made of its folder: modules are switched off. Such a path must not get into rows.
func noModules(path string) bool { return strings.HasPrefix(path, "_/") }

var errNoModules = errors.New("the go command works without modules (GO111MODULE=off), so that packages here have no import paths to name operations by; " +
	"unset it (go env -u GO111MODULE, where it is set for good)")
