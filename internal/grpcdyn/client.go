// Package grpcdyn calls methods over gRPC with messages that are already encoded, and reports of
// each call whether the server answered it, or something on the way.
//
// method.go has the methods and their messages, compile.go and reflect.go find their descriptors,
// call.go makes a call over a link (link.go), which is a connection.
package grpcdyn

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2/hpack"

	"github.com/poolbench/poolbench/internal/transport"
)

// Options say where a Client calls.
type Options struct {
	Address string      // host:port, also where Dial goes elsewhere
	TLS     *tls.Config // nil: in the clear
	// of calls over TLS; "": the name of the server
	Authority string
	// connections, and calls at once on each; 0: as for transport.NewDealer
	Connections, Streams int
	Dial                 func(ctx context.Context, network, address string) (net.Conn, error)
	Watch                func(net.Conn) net.Conn            // a connection, once secured; nil: nobody
	Secured              func(context.Context, error) error // notes a handshake; nil: nobody does
	// a call that the server has not begun, it says, may be sent again
	Resend bool
}

// A Client calls one server.
type Client struct {
	Options
	host   *transport.Host[*link]
	to     *peer
	resent atomic.Int64

	mu     sync.Mutex
	links  []*link // that were made
	closed bool
}

// A peer holds the header fields that name a call's receiver and its sender.
type peer struct{ pseudo, head []hpack.HeaderField }

// NewClient connects to nobody yet.
func NewClient(o Options) *Client {
	scheme, authority := "http", o.Address
	if o.TLS != nil {
		o.TLS = o.TLS.Clone()
		o.TLS.NextProtos = []string{"h2"}
		scheme, authority = "https", cmp.Or(o.Authority, o.TLS.ServerName, authority)
	}
	hosts := transport.Hosts[*link]{Connections: o.Connections, Streams: o.Streams,
		Stands: func(l *link) bool { return !l.isGone() }}
	return &Client{Options: o, host: hosts.Host(o.Address), to: &peer{
		pseudo: []hpack.HeaderField{{Name: ":method", Value: "POST"},
			{Name: ":scheme", Value: scheme}, {Name: ":authority", Value: authority}},
		head: []hpack.HeaderField{{Name: "content-type", Value: "application/grpc"},
			{Name: "user-agent", Value: "poolbench"}, {Name: "te", Value: "trailers"}}}}
}

// link is connection number at, made anew where it does not stand.
func (c *Client) link(ctx context.Context, at int, deadline time.Time) (*link, error) {
	if l, ok := c.host.Standing(at); ok {
		return l, nil
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	return c.host.Conn(ctx, at, func(ctx context.Context) (*link, error) {
		made, err := c.connect(ctx)
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.closed {
			made.close()
			return nil, net.ErrClosed
		}
		c.links = append(slices.DeleteFunc(c.links, func(l *link) bool { return l.why() != nil }),
			made)
		return made, nil
	})
}

// connect makes a link to a server that speaks.
func (c *Client) connect(ctx context.Context) (*link, error) {
	made, err := c.Dial(ctx, "tcp", c.Address)
	if err != nil {
		return nil, err
	}
	if c.TLS != nil {
		secure, err := transport.Secure(ctx, made, c.TLS)
		if c.Secured != nil {
			_ = c.Secured(ctx, err)
		}
		if err == nil && secure.ConnectionState().NegotiatedProtocol != "h2" {
			err = errors.New("the server does not speak HTTP/2 over TLS")
		}
		if err != nil {
			_ = made.Close() // nothing was sent on it
			return nil, err
		}
		made = secure
	}
	if c.Watch != nil {
		made = c.Watch(made)
	}
	l := newLink(made, c.to)
	select {
	case <-l.ready:
	case <-ctx.Done():
		l.fail(ctx.Err())
	}
	if err := l.why(); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// Resent is how many calls were sent again, unasked: the server had said that it did not begin
// them.
func (c *Client) Resent() int64 { return c.resent.Load() }

// Close ends every call.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	links := c.links
	c.mu.Unlock()
	for _, l := range links {
		l.close()
	}
}
