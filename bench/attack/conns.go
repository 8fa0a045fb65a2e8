package attack

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/calls"
)

// conns are the open connections. Closing them is how requests in flight are given up: it costs a
// request nothing, where a context of its own would cost it an allocation or two.
type conns struct {
	connect func(ctx context.Context, network, address string) (net.Conn, error)
	hosts   int                     // that are called
	give    context.CancelCauseFunc // the attack up
	calls   *calls.Counter          // which they are counted by
	mu      sync.Mutex
	open    map[*conn]struct{}
	made    bool // a connection, ever
	refused int  // dials that failed while none was made
	closed  bool
}

func newConns(a Attack, give context.CancelCauseFunc, count *calls.Counter) *conns {
	hosts := map[string]bool{}
	for _, r := range a.Requests {
		origin, _ := cutOrigin(r.URL)
		if u, err := url.Parse(origin); err == nil {
			hosts[u.Host] = true
		}
	}
	c := &conns{connect: a.dial, hosts: len(hosts), give: give, calls: count,
		open: map[*conn]struct{}{}}
	if c.connect == nil {
		c.connect = new(net.Dialer).DialContext
	}
	if connect := c.connect; a.UnixSocket != "" {
		c.hosts = 1
		c.connect = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return connect(ctx, "unix", a.UnixSocket)
		}
	}
	return c
}

// A nobodyError ends an attack at once: as many dials as there are hosts have failed, and none has
// succeeded.
type nobodyError struct{ error }

func (e *nobodyError) Error() string { return "nobody answers: " + e.error.Error() }
func (e *nobodyError) Unwrap() error { return e.error }

// A conn forgets itself when it is closed. Its deadline costs nothing where nothing is late: the
// one that was set before stays in force, and is set anew when it has come too early.
type conn struct {
	net.Conn
	of       *conns
	deadline time.Time // zero: none but what SetDeadline says
	mu       sync.Mutex
	armed    time.Time // what is in force
	given    atomic.Bool
}

// expect sets the deadline of what is read and written from now on.
func (c *conn) expect(deadline time.Time) error {
	c.deadline = deadline
	if !c.armed.IsZero() && !deadline.Before(c.armed) {
		return nil
	}
	return c.arm()
}

func (c *conn) arm() error {
	c.mu.Lock() // whoever reads may come too early together with whoever writes
	defer c.mu.Unlock()
	c.armed = c.deadline
	if err := c.SetDeadline(c.deadline); err != nil || !c.given.Load() {
		return err
	}
	return c.SetDeadline(past)
}

var past = time.Unix(1, 0)

// giveUp ends what is read and written, now and from now on, as a deadline does.
func (c *conn) giveUp() {
	c.given.Store(true)
	_ = c.SetDeadline(past) // one that is closed has ended, too
}

// early reports whether an error is a deadline that has come too early, and sees to the right one.
func (c *conn) early(err error) bool {
	return err != nil && !c.deadline.IsZero() && errors.Is(err, os.ErrDeadlineExceeded) &&
		!c.given.Load() && time.Now().Before(c.deadline) && c.arm() == nil
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (n int, err error) {
	for {
		if n, err = c.Conn.Read(p); n > 0 || !c.early(err) {
			return n, err
		}
	}
}

// Write implements net.Conn.
func (c *conn) Write(p []byte) (n int, err error) {
	for {
		more, err := c.Conn.Write(p[n:])
		if n += more; !c.early(err) {
			return n, err
		}
	}
}

// dial is the DialContext of a transport.
func (c *conns) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if c.isClosed() {
		return nil, net.ErrClosed
	}
	begun := time.Now()
	raw, err := c.connect(ctx, network, address)
	if err != nil {
		c.failed(ctx, err)
		return nil, err
	}
	c.calls.Connected(time.Since(begun))
	return c.add(raw)
}

// add takes a connection to those that are open.
func (c *conns) add(raw net.Conn) (net.Conn, error) {
	made := &conn{Conn: raw, of: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made = true
	if c.closed {
		_ = raw.Close() // nothing was sent on it
		return nil, net.ErrClosed
	}
	c.open[made] = struct{}{}
	return made, nil
}

// failed counts a dial that came to nothing, unless it was given up.
func (c *conns) failed(ctx context.Context, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made || c.closed || ctx.Err() != nil {
		return
	}
	if c.refused++; c.refused == c.hosts {
		c.give(&nobodyError{err})
	}
}

func (c *conns) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// close closes every connection, and those that are still to come.
func (c *conns) close() {
	c.mu.Lock()
	c.closed = true
	open := c.open
	c.open = nil
	c.mu.Unlock()
	for made := range open {
		_ = made.Conn.Close() // whoever is on it learns of it by an error
	}
}

// Close closes the connection.
func (c *conn) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}
