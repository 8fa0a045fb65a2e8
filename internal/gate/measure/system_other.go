//go:build !linux

package measure

import (
	"errors"
	"os/exec"
)

// A counter would count an event in the processes that this thread starts.
type counter struct{}

// openInstructions fails: instructions are counted on Linux alone.
func openInstructions() (*counter, error) { return nil, errors.ErrUnsupported }

func (*counter) read() uint64 { return 0 }
func (*counter) close()       {}

// dieWithUs is for systems on which a child does not learn of it: it ends with its benchmark.
func dieWithUs(*exec.Cmd) {}
