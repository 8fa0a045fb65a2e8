//go:build unix && !linux

package servers

import (
	"os"
	"os/exec"
	"syscall"
)

func prepareSystem(cmd *exec.Cmd, username string) error { return ownGroup(cmd, username) }

// killTree kills the process's group. Those of PostgreSQL's processes that are in no group end when
// they see that it has.
func killTree(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
