//go:build unix

package execute

import (
	"os/exec"
	"syscall"
)

// The parent, not Ctrl-C in a terminal, decides when the child ends.
func ownGroup(child *exec.Cmd) { child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
