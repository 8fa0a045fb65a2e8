package attack

import (
	"context"
	"net"
	"net/url"
	"sync"
)

// conns are the open connections. Closing them is how requests in flight are given up: it costs a
// request nothing, where a context of its own would cost it an allocation or two.
type conns struct {
	connect func(ctx context.Context, network, address string) (net.Conn, error)
	hosts   int                     // that are called
	give    context.CancelCauseFunc // the attack up
	mu      sync.Mutex
	open    map[*conn]struct{}
	made    bool // a connection, ever
	refused int  // dials that failed while none was made
	closed  bool
}

func newConns(a Attack, give context.CancelCauseFunc) *conns {
	hosts := map[string]bool{}
	for _, r := range a.Requests {
		if u, err := url.Parse(r.URL); err == nil {
			hosts[u.Host] = true
		}
	}
	c := &conns{connect: a.dial, hosts: len(hosts), give: give, open: map[*conn]struct{}{}}
	if c.connect == nil {
		c.connect = new(net.Dialer).DialContext
	}
	return c
}

// A nobodyError ends an attack at once: as many dials as there are hosts have failed, and none has
// succeeded.
type nobodyError struct{ error }

func (e *nobodyError) Error() string { return "nobody answers: " + e.error.Error() }
func (e *nobodyError) Unwrap() error { return e.error }

// A conn forgets itself when it is closed.
type conn struct {
	net.Conn
	of *conns
}

// dial is the DialContext of a transport.
func (c *conns) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if c.isClosed() {
		return nil, net.ErrClosed
	}
	raw, err := c.connect(ctx, network, address)
	if err != nil {
		c.failed(ctx, err)
		return nil, err
	}
	made := &conn{raw, c}
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
