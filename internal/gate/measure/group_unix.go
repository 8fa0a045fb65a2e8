//go:build unix

package measure

import (
	"os/exec"
	"syscall"
)

// endGroup ends what the child, which has ended, may have started and left: it would run beside
// what is measured next.
func endGroup(child *exec.Cmd) {
	if child.Process != nil {
		killGroup(child.Process.Pid) // mostly there is nothing left
	}
}

func killGroup(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }

// ownGroup keeps a terminal's Ctrl-C from the child, and lets what it has started end with it.
func ownGroup(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	child.Cancel = func() error { return syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
}
