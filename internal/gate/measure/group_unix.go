//go:build unix

package measure

import (
	"os/exec"
	"syscall"
)

// endGroup kills processes that the ended child has left behind, because they would disturb the
// next measurement.
func endGroup(child *exec.Cmd) {
	if child.Process != nil {
		killGroup(child.Process.Pid)
	}
}

func killGroup(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }

// A separate process group protects the child from Ctrl-C on the terminal, and lets its descendants
// end with it.
func ownGroup(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
}
