//go:build unix

package measure

import (
	"os/exec"
	"syscall"
)

// endGroup kills processes that the ended child has left, because they would disturb the next
// measurement.
func endGroup(child *exec.Cmd) {
	if child.Process != nil {
		killGroup(child.Process.Pid) // usually nothing is left
	}
}

func killGroup(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }

// ownGroup protects the child from a terminal's Ctrl-C, and makes its processes end with it.
func ownGroup(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
}
