package attack

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A trackedConn forgets itself when it is closed. Its deadline costs nothing where nothing is late:
// the one that was set before stays in force, and is set anew when it has come too early.
type trackedConn struct {
	net.Conn
	of       *connSet
	deadline time.Time // zero: none but what SetDeadline says
	mu       sync.Mutex
	armed    time.Time // what is in force
	given    atomic.Bool
}

// Expect sets the deadline of what is read and written from now on.
func (c *trackedConn) Expect(deadline time.Time) error {
	c.deadline = deadline
	if !c.armed.IsZero() && !deadline.Before(c.armed) {
		return nil
	}
	return c.arm()
}

func (c *trackedConn) arm() error {
	c.mu.Lock() // whoever reads may come too early together with whoever writes
	defer c.mu.Unlock()
	c.armed = c.deadline
	if err := c.SetDeadline(c.deadline); err != nil || !c.given.Load() {
		return err
	}
	return c.SetDeadline(past)
}

var past = time.Unix(1, 0)

// GiveUp ends what is read and written, now and from now on, as a deadline does.
func (c *trackedConn) GiveUp() {
	c.given.Store(true)
	_ = c.SetDeadline(past) // one that is closed has ended, too
}

// early reports whether an error is a deadline that has come too early, and sees to the right one.
func (c *trackedConn) early(err error) bool {
	return err != nil && !c.deadline.IsZero() && errors.Is(err, os.ErrDeadlineExceeded) &&
		!c.given.Load() && time.Now().Before(c.deadline) && c.arm() == nil
}

// Read implements net.Conn.
func (c *trackedConn) Read(p []byte) (n int, err error) {
	for {
		if n, err = c.Conn.Read(p); n > 0 || !c.early(err) {
			return n, err
		}
	}
}

// Write implements net.Conn.
func (c *trackedConn) Write(p []byte) (n int, err error) {
	for {
		more, err := c.Conn.Write(p[n:])
		if n += more; !c.early(err) {
			return n, err
		}
	}
}

// Close implements net.Conn.
func (c *trackedConn) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}
