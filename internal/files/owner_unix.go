//go:build unix

package files

import (
	"os"
	"syscall"
)

// isMine says whether it is this user's.
func isMine(info os.FileInfo) bool {
	of, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(of.Uid) == os.Geteuid()
}
