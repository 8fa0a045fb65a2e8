//go:build unix

package execute

import (
	"os/exec"
	"syscall"
)

// ownGroup protects the child from Ctrl-C in a terminal, because the parent decides when the child
// ends.
func ownGroup(child *exec.Cmd) { child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
