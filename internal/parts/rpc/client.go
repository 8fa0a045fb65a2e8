// Package rpc calls methods over gRPC with messages that are encoded already, and says what came of
// each call: whether the server answered, or something on the way to it.
//
// method.go has the methods and their messages, compile.go and reflect.go where descriptors of them
// come from, call.go one call.
package rpc

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

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
	resent  atomic.Int64

	mu     sync.Mutex
	conns  []*grpc.ClientConn
	closed bool
}

// NewClient connects to nobody yet.
func NewClient(o Options) *Client {
	return &Client{Options: o, streams: streams.NewDealer(o.Connections, o.Streams)}
}

// mostReceived bounds one message of an answer.
const mostReceived = 64 << 20

// reconnect is how long a connection that was refused waits for its next try: as long as a client
// of a closed loop that got no answer. Calls meanwhile fail.
const reconnect = 10 * time.Millisecond

// patience is how long a connection may take to be made, as grpc has it. Calls that wait for it
// have timeouts of their own.
const patience = 20 * time.Second

// conn is connection number at.
func (c *Client) conn(at int) (*grpc.ClientConn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, net.ErrClosed
	}
	for at >= len(c.conns) {
		made, err := c.connect()
		if err != nil {
			return nil, err
		}
		c.conns = append(c.conns, made)
	}
	return c.conns[at], nil
}

func (c *Client) connect() (*grpc.ClientConn, error) {
	secure := insecure.NewCredentials()
	if c.TLS != nil {
		secure = credentials.NewTLS(c.TLS)
	}
	often := backoff.Config{BaseDelay: reconnect, Multiplier: 1, MaxDelay: reconnect}
	return grpc.NewClient("passthrough:///"+c.Address,
		grpc.WithTransportCredentials(watching{secure, c.Watch}),
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
			return c.Dial(ctx, "tcp", address)
		}),
		grpc.WithStatsHandler(watcher{}),
		grpc.WithUserAgent("poolbench"),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(),
		grpc.WithIdleTimeout(0), // it is busy, or its owner closes it
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: often, MinConnectTimeout: patience}),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{}),
			grpc.MaxCallRecvMsgSize(mostReceived)))
}

// watching watches the connections, once they are secured.
type watching struct {
	credentials.TransportCredentials
	watch func(net.Conn) net.Conn
}

// ClientHandshake implements credentials.TransportCredentials.
func (w watching) ClientHandshake(
	ctx context.Context, authority string, c net.Conn,
) (net.Conn, credentials.AuthInfo, error) {
	c, info, err := w.TransportCredentials.ClientHandshake(ctx, authority, c)
	if err == nil && w.watch != nil {
		c = w.watch(c)
	}
	return c, info, err
}

// Clone implements credentials.TransportCredentials.
func (w watching) Clone() credentials.TransportCredentials {
	return watching{w.TransportCredentials.Clone(), w.watch}
}

// Resent is how many calls were sent again, unasked: the server had said that it did not begin
// them.
func (c *Client) Resent() int64 { return c.resent.Load() }

// Close ends every call.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	conns := c.conns
	c.mu.Unlock()
	for _, made := range conns {
		_ = made.Close() // whoever is on it learns of it by an error
	}
}
