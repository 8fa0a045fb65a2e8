//go:build !unix

package measure

import (
	"os"
	"os/exec"
)

// ownGroup and endGroup are for systems without groups of processes.
func ownGroup(*exec.Cmd) {}
func endGroup(*exec.Cmd) {}

// killGroup ends the process that a group would be named for.
func killGroup(group int) {
	if p, err := os.FindProcess(group); err == nil {
		_ = p.Kill()
	}
}
