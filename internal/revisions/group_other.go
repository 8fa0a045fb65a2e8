//go:build !unix

package revisions

import "os/exec"

// ownGroup and endGroup are for systems without groups of processes.
func ownGroup(*exec.Cmd) {}
func endGroup(*exec.Cmd) {}
