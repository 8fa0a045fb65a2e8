//go:build unix

package attack

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// canPeek: a connection can be asked whether it still stands.
const canPeek = true

// quiet reports whether nothing has come on the connection, neither an end nor bytes that nobody
// asked for. nil is one that cannot be asked.
func quiet(c syscall.RawConn) bool {
	if c == nil {
		return true
	}
	var peeked error
	err := c.Read(func(fd uintptr) bool {
		var b [1]byte
		_, _, peeked = unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		return true
	})
	return err == nil && (peeked == unix.EAGAIN || peeked == unix.EWOULDBLOCK)
}
