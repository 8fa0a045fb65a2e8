//go:build unix

package files

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/poolbench/poolbench/internal/lazyregexp"
	"golang.org/x/sys/unix"
)

var standard = map[string]int{"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}

var numbered = lazyregexp.New(`^/(?:dev|proc/(?:self|thread-self|(\d+)))/fd/(\d+)$`)

// Another program may have opened the file of a descriptor, as with >>. The file is therefore
// neither replaced nor overwritten from the start.
func descriptor(path string) (fd int, ok bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return 0, false
	}
	if fd, ok := standard[path]; ok {
		return fd, true
	}
	m := numbered.FindStringSubmatch(path)
	if m == nil || m[1] != "" && m[1] != strconv.Itoa(os.Getpid()) {
		return 0, false
	}
	fd, err = strconv.Atoi(m[2])
	return fd, err == nil
}

func descriptorWritable(fd int) error {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err == nil && flags&unix.O_ACCMODE == unix.O_RDONLY {
		err = unix.EBADF
	}
	return err
}

// Writes to the duplicate follow earlier ones.
func openDescriptor(fd int) (io.WriteCloser, error) {
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(own), fmt.Sprintf("/dev/fd/%d", fd)), nil
}

func writable(path string) error { return unix.Access(path, unix.W_OK) }

func keepOwner(f *os.File, before fs.FileInfo) {
	if was, ok := before.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(was.Uid), int(was.Gid))
	}
}
