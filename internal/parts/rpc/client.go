// Package rpc calls methods over gRPC with messages that are encoded already, and says what came of
// each call: whether the server answered, or something on the way to it.
//
// method.go has the methods and their messages, compile.go and reflect.go where descriptors of them
// come from, call.go one call. A call goes over a link (link.go), which is a connection.
package rpc

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2/hpack"

	"github.com/poolbench/poolbench/internal/parts/streams"
)

// Options say where a Client calls.
type Options struct {
	Address string      // host:port, also where Dial goes elsewhere
	TLS     *tls.Config // nil: in the clear
	// connections, and calls at once on each; 0: as package streams has it
	Connections, Streams int
	Dial                 func(ctx context.Context, network, address string) (net.Conn, error)
	Watch                func(net.Conn) net.Conn // a connection, once it is secured; nil: nobody
	// a call that the server has not begun, it says, may be sent again
	Resend bool
}

// A Client calls one server.
type Client struct {
	Options
	streams *streams.Dealer
	to      *peer
	resent  atomic.Int64

	mu     sync.Mutex
	slots  []*slot
	closed bool
}

// A peer is what calls say of whom they are for, and whose they are.
type peer struct{ pseudo, head []hpack.HeaderField }

// NewClient connects to nobody yet.
func NewClient(o Options) *Client {
	scheme, authority := "http", o.Address
	if o.TLS != nil {
		o.TLS = o.TLS.Clone()
		o.TLS.NextProtos = []string{"h2"}
		scheme, authority = "https", cmp.Or(o.TLS.ServerName, authority)
	}
	return &Client{Options: o, streams: streams.NewDealer(o.Connections, o.Streams), to: &peer{
		pseudo: []hpack.HeaderField{{Name: ":method", Value: "POST"},
			{Name: ":scheme", Value: scheme}, {Name: ":authority", Value: authority}},
		head: []hpack.HeaderField{{Name: "content-type", Value: "application/grpc"},
			{Name: "user-agent", Value: "poolbench"}, {Name: "te", Value: "trailers"}}}}
}

// A slot has one link after another.
type slot struct {
	mu     sync.Mutex
	link   *link   // nil: none yet
	making *making // nil: nobody does
}

// A making of a link is what all wait for who want it.
type making struct {
	done chan struct{}
	link *link
	err  error
}

// link is connection number at, made anew where it does not stand.
func (c *Client) link(ctx context.Context, at int, deadline time.Time) (*link, error) {
	c.mu.Lock()
	for at >= len(c.slots) {
		c.slots = append(c.slots, &slot{})
	}
	s, closed := c.slots[at], c.closed
	c.mu.Unlock()
	if closed {
		return nil, net.ErrClosed
	}
	s.mu.Lock()
	if s.link != nil && !s.link.isGone() {
		defer s.mu.Unlock()
		return s.link, nil
	}
	m, mine := s.making, s.making == nil
	if mine {
		m = &making{done: make(chan struct{})}
		s.making = m
	}
	s.mu.Unlock()
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	if !mine {
		select {
		case <-m.done:
			return m.link, m.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if m.link, m.err = c.connect(ctx); m.err == nil {
		m.err = c.keep(s, m.link)
	}
	s.mu.Lock()
	s.making = nil
	s.mu.Unlock()
	close(m.done)
	return m.link, m.err
}

// keep has calls go over the link.
func (c *Client) keep(s *slot, l *link) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		l.close()
		return net.ErrClosed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.link = l
	return nil
}

var errNoHTTP2 = errors.New("the server does not speak HTTP/2 over TLS")

// connect makes a link to a server that speaks.
func (c *Client) connect(ctx context.Context) (*link, error) {
	made, err := c.Dial(ctx, "tcp", c.Address)
	if err != nil {
		return nil, err
	}
	if c.TLS != nil {
		secure := tls.Client(made, c.TLS)
		err := secure.HandshakeContext(ctx)
		if err == nil && secure.ConnectionState().NegotiatedProtocol != "h2" {
			err = errNoHTTP2
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
	slots := c.slots
	c.mu.Unlock()
	for _, s := range slots {
		s.mu.Lock()
		l := s.link
		s.mu.Unlock()
		if l != nil {
			l.close()
		}
	}
}
