//go:build !unix

package measure

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}
func endGroup(*exec.Cmd) {}

func killGroup(group int) {
	if p, err := os.FindProcess(group); err == nil {
		_ = p.Kill()
	}
}
