//go:build unix && !linux

package servers

import (
	"os"
	"os/exec"
	"syscall"
)

func prepareSystem(cmd *exec.Cmd, username string) error { return setGroupAndUser(cmd, username) }

// PostgreSQL's processes outside the group end when they detect its end.
func killTree(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
