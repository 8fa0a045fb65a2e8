//go:build unix

package files

import (
	"os"
	"syscall"
)

func isMine(info os.FileInfo) bool {
	of, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(of.Uid) == os.Geteuid()
}
