//go:build !unix

package revisions

import "os/exec"

// ownGroup is for systems without groups of processes.
func ownGroup(*exec.Cmd) {}
