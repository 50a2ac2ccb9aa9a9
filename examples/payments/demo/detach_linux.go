package main

import (
	"os/exec"
	"syscall"
)

// detach puts cmd into a process group of its own, so that Ctrl-C reaches us alone and we end it; and lets the kernel
// end it, should we be killed ourselves.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
