//go:build unix

package execute

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a terminal's Ctrl-C from the child: the parent decides what becomes of it.
func ownGroup(child *exec.Cmd) { child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
