package measure

import (
	"os/exec"
	"syscall"
)

// dieWithUs ends the child when this thread does, so that a gate that is killed leaves no benchmark
// running. The caller's goroutine must be locked to its thread until the child has ended, and
// ownGroup come first.
func dieWithUs(child *exec.Cmd) { child.SysProcAttr.Pdeathsig = syscall.SIGKILL }
