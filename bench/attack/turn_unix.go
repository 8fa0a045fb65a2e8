//go:build unix

package attack

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const canPeek = true

// quiet reports whether the connection has received neither an end nor unexpected bytes. A nil
// connection cannot be tested.
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

// A connTurn waits before reading the answer: a net.Conn would read at once, in vain, which costs a
// twentieth of a request.
type connTurn struct {
	out, in     []byte
	wrote, came int
	err         error
	step        func(fd uintptr) (done bool) // made once
}

// Do may write a part without an error.
func (t *connTurn) Do(
	c *trackedConn, raw syscall.RawConn, out, in []byte,
) (wrote int, came []byte, err error) {
	if t.step == nil {
		t.step = t.next
	}
	t.out, t.in, t.wrote, t.came, t.err = out, in, 0, 0, nil
	for {
		if err = raw.Read(t.step); !c.early(err) {
			break
		}
	}
	op := "write"
	if t.wrote == len(out) {
		op = "read"
	}
	t.out, t.in = nil, nil
	switch {
	case t.err == io.EOF:
		err = io.EOF
	case t.err == nil && err != nil:
		if e, ok := errors.AsType[*net.OpError](err); ok {
			e.Op = op // as for a net.Conn
		}
	case t.err != nil:
		err = opError(op, c, t.err)
	}
	return t.wrote, in[:t.came], err
}

func opError(op string, c *trackedConn, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(),
		Err: os.NewSyscallError(op, err)}
}

// next is called at once, and whenever the connection may be readable.
func (t *connTurn) next(fd uintptr) (done bool) {
	if t.wrote == 0 {
		n, err := uninterrupted(syscall.Write, int(fd), t.out)
		if err == syscall.EAGAIN {
			return true // the buffers are full
		}
		t.wrote, t.err = max(n, 0), err
		return err != nil || t.wrote < len(t.out)
	}
	n, err := uninterrupted(syscall.Read, int(fd), t.in)
	switch {
	case err == syscall.EAGAIN:
		return false
	case err == nil && n == 0:
		err = io.EOF
	}
	t.came, t.err = max(n, 0), err
	return true
}

func uninterrupted(
	call func(int, []byte) (int, error), fd int, p []byte,
) (n int, err error) {
	for {
		if n, err = call(fd, p); err != syscall.EINTR {
			return n, err
		}
	}
}
