//go:build !unix

package measure

import (
	"os"
	"os/exec"
)

// ownGroup and endGroup do nothing on systems without process groups.
func ownGroup(*exec.Cmd) {}
func endGroup(*exec.Cmd) {}

func killGroup(group int) {
	if p, err := os.FindProcess(group); err == nil {
		_ = p.Kill()
	}
}
