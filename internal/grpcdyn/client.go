// Package grpcdyn calls gRPC methods with encoded messages. For each call it reports whether the
// status comes from the server or was caused on the way.
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

type Options struct {
	Address string      // host:port; required even if Dial is set
	TLS     *tls.Config // nil means without TLS
	// authority of calls over TLS; "" means the server name
	Authority string
	// as in transport.NewDealer
	Connections, Streams int
	Dial                 func(ctx context.Context, network, address string) (net.Conn, error)
	// wraps a secured connection; may be nil
	Watch func(net.Conn) net.Conn
	// receives the result of each handshake; may be nil
	Secured func(context.Context, error) error
	// whether to resend calls that the server did not begin
	Resend bool
}

type Client struct {
	Options
	host   *transport.Host[*link]
	to     *peer
	resent atomic.Int64

	mu     sync.Mutex
	links  []*link // all connections so far
	closed bool
}

type peer struct{ pseudo, head []hpack.HeaderField }

// NewClient does not connect.
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

// link returns connection number at, or another one if the server allows fewer calls, as
// transport.Host.Use does.
func (c *Client) link(ctx context.Context, at int, deadline time.Time) (*link, int, error) {
	if l, ok := c.host.Standing(at); ok && c.host.Fits(at) {
		return l, at, nil
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	return c.host.Use(ctx, deadline, at, func(ctx context.Context, at int) (*link, error) {
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
		made.limitedBy(func(streams int) { c.host.Limit(at, streams) })
		c.links = append(slices.DeleteFunc(c.links, func(l *link) bool { return l.why() != nil }),
			made)
		return made, nil
	})
}

// If the server ends the connection by GOAWAY before the call, the call detects it and tries the
// next connection.
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
		if !errors.Is(err, errLeft) {
			return nil, err
		}
	}
	return l, nil
}

func (c *Client) Resent() int64 { return c.resent.Load() }

func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	links := c.links
	c.mu.Unlock()
	for _, l := range links {
		l.close()
	}
}
