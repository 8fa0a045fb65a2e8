//go:build !linux

package measure

import (
	"errors"
	"os/exec"
)

// counter is not supported on this system.
type counter struct{}

// openInstructions fails: instructions are counted only on Linux.
func openInstructions() (*counter, error) { return nil, errors.ErrUnsupported }

func (*counter) read() uint64 { return 0 }
func (*counter) close()       {}

// dieWithUs does nothing on this system: the child continues to its end.
func dieWithUs(*exec.Cmd) {}
