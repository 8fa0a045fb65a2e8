//go:build unix

package files

import (
	"os"
	"syscall"
)

// isMine reports whether the file belongs to this user.
func isMine(info os.FileInfo) bool {
	of, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(of.Uid) == os.Geteuid()
}
