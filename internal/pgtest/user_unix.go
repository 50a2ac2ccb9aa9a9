//go:build unix

package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// This file is about the user a server runs as: Postgres refuses to be root.

// detach puts cmd into a process group of its own, so that a Ctrl-C meant for us does not reach it first, and takes root
// from it.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if c, err := credential(); err == nil {
		cmd.SysProcAttr.Credential = c
	}
}

// giveAway makes path the server's.
func giveAway(path string) error {
	c, err := credential()
	if err != nil || c == nil {
		return err
	}
	return os.Chown(path, int(c.Uid), int(c.Gid))
}

// credential is the user to run as; nil: the present one.
func credential() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(err1, err2)
	}
	return nil, errors.New("a Postgres server does not run as root, and there is no user postgres or nobody to run it as")
}
