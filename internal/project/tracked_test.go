package project_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// programs contains the magic bytes of executables: ELF, Mach-O, PE.
var programs = [][]byte{[]byte("\x7fELF"), {0xcf, 0xfa, 0xed, 0xfe},
	{0xca, 0xfe, 0xba, 0xbe}, []byte("MZ")}

// `go build` and `git add -A` could commit an executable.
func TestNothingBuilt(t *testing.T) {
	readDirectories(t)
	out, err := exec.Command("git", "-C", "../..", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("this is not a checkout, or there is no git")
	}
	for name := range bytes.SplitSeq(bytes.TrimRight(out, "\x00"), []byte{0}) {
		text, err := os.ReadFile(filepath.Join("../..", string(name)))
		if err != nil {
			continue // deleted, and not yet committed
		}
		if slices.ContainsFunc(programs,
			func(magic []byte) bool { return bytes.HasPrefix(text, magic) }) {
			t.Errorf("%s is a program", name)
		}
	}
}
