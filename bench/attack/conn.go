package attack

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A trackedConn leaves its connSet when it is closed. The deadline in force is moved only when it
// expires too early, which avoids most system calls.
type trackedConn struct {
	net.Conn
	of       *connSet
	deadline time.Time // zero: only that of SetDeadline
	mu       sync.Mutex
	armed    time.Time // the deadline in force
	given    atomic.Bool
}

func (c *trackedConn) Expect(deadline time.Time) error {
	c.deadline = deadline
	if !c.armed.IsZero() && !deadline.Before(c.armed) {
		return nil
	}
	return c.arm()
}

func (c *trackedConn) arm() error {
	c.mu.Lock() // reader and writer may be early at the same time
	defer c.mu.Unlock()
	c.armed = c.deadline
	if err := c.SetDeadline(c.deadline); err != nil || !c.given.Load() {
		return err
	}
	return c.SetDeadline(past)
}

var past = time.Unix(1, 0)

func (c *trackedConn) GiveUp() {
	c.given.Store(true)
	_ = c.SetDeadline(past) // fails only if closed
}

// early reports whether err is a deadline that expired too early, and sets the right one.
func (c *trackedConn) early(err error) bool {
	return err != nil && !c.deadline.IsZero() && errors.Is(err, os.ErrDeadlineExceeded) &&
		!c.given.Load() && time.Now().Before(c.deadline) && c.arm() == nil
}

func (c *trackedConn) Read(p []byte) (n int, err error) {
	for {
		if n, err = c.Conn.Read(p); n > 0 || !c.early(err) {
			return n, err
		}
	}
}

func (c *trackedConn) Write(p []byte) (n int, err error) {
	for {
		more, err := c.Conn.Write(p[n:])
		if n += more; !c.early(err) {
			return n, err
		}
	}
}

func (c *trackedConn) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}
