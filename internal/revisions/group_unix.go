//go:build unix

package revisions

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a terminal's Ctrl-C from the child, and lets what it has started end with it.
func ownGroup(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
}
