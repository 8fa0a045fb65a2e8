package attack

import (
	"context"
	"net"
	"sync"
)

// conns are the open connections. Closing them is how requests in flight are given up: it costs a request nothing, where a context of its own
// would cost it an allocation or two.
type conns struct {
	connect func(ctx context.Context, network, address string) (net.Conn, error)
	mu      sync.Mutex
	open    map[*conn]struct{}
	closed  bool
}

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
		return nil, err
	}
	made := &conn{raw, c}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		_ = raw.Close() // nothing was sent on it
		return nil, net.ErrClosed
	}
	c.open[made] = struct{}{}
	return made, nil
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
