package attack

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/internal/transport"
)

// http2 assigns requests to connections of net/http. A transport alone would open one connection
// per host, and resend requests without counting them.
type http2 struct {
	*caller
	transport *http.Transport
	tls       *tls.Config
	counts    *transport.Counts
	hosts     transport.Hosts[*streamed]
}

type streamed struct {
	*http.ClientConn
	frames *transport.WatchedConn
	used   atomic.Bool // it has carried an answer
}

func (c *caller) newHTTP2(a Attack) *http2 {
	h := &http2{caller: c, counts: c.streams(), tls: c.tls.Clone(),
		hosts: transport.Hosts[*streamed]{Connections: a.Connections,
			Streams: a.Streams, Stands: func(s *streamed) bool { return !s.frames.Gone() }}}
	h.tls.NextProtos, h.tls.ClientSessionCache = []string{"h2"}, tls.NewLRUClientSessionCache(0)
	h.transport = &http.Transport{
		DialContext:            h.dial,
		Protocols:              new(http.Protocols),
		DisableCompression:     true, // bodies are counted as sent
		MaxResponseHeaderBytes: maxHeader,
	}
	h.transport.Protocols.SetUnencryptedHTTP2(true) // TLS is below the connection it gets
	return h
}

func (h *http2) spoken() string { return h.spokenOr("HTTP/2") }

func (h *http2) close() { h.transport.CloseIdleConnections() }

func (h *http2) prepare(*message) error { return nil }

func (h *http2) call(ctx context.Context, m *message) answer {
	deadline := time.Now().Add(h.attack.Timeout)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	begun := time.Now()
	resp, err := h.exchange(m.withCookies(ctx), deadline)
	firstByte, followed := time.Since(begun), false
	var went hops
	if err == nil && h.attack.Redirects > 0 && isRedirect(resp.StatusCode) &&
		resp.Header.Get("Location") != "" {
		via := func(r *http.Request) (*http.Response, error) { return h.exchange(r, deadline) }
		went.out = max(resp.Request.ContentLength, 0)
		resp, err = m.follow(ctx, went.count(resp), h.attack.Redirects, went.through(via))
		followed = true
	}
	if err != nil {
		return answer{err: err, in: went.in, out: went.out}
	}
	a := h.read(resp)
	if followed {
		a.in, a.out = went.in, went.out
	}
	a.noteFollowed(resp)
	a.firstByte, a.stored = firstByte, followed
	return a
}

// Closing the body of the answer releases its stream.
func (h *http2) exchange(r *http.Request, deadline time.Time) (*http.Response, error) {
	name, err := h.names.serverName(r)
	if err != nil {
		return nil, err
	}
	to := h.hosts.Host(hostKey(r, name))
	at, err := to.Acquire(r.Context(), deadline)
	if err != nil {
		return nil, err
	}
	var resp *http.Response
	for tries, again := 0, false; ; tries++ {
		var c *streamed
		open := func(ctx context.Context, at int) (*streamed, error) {
			return h.connect(ctx, r.URL, name, func(streams int) { to.Limit(at, streams) })
		}
		if c, at, err = to.Use(r.Context(), deadline, at, open); err != nil {
			break
		}
		if again {
			h.resent.Add(1)
		}
		if resp, err = c.RoundTrip(r); err == nil {
			c.used.Store(true)
			resp.Body = &lent{resp.Body, sync.OnceFunc(func() { to.Release(at) })}
			return resp, nil
		}
		if r, again = h.retry(r, c, tries, err); r == nil {
			break
		}
	}
	to.Release(at)
	return nil, err
}

// maxAgain limits how often a request looks for another connection.
const maxAgain = 3

// retry returns nil if the request must not be resent, and whether it was sent before.
func (h *http2) retry(
	r *http.Request, c *streamed, tries int, err error,
) (next *http.Request, went bool) {
	went = err.Error() != "http2: client conn not usable"
	lost := c.used.Load() && tries == 0 && c.frames.Broke() && transport.Repeatable(r)
	if tries >= maxAgain || r.Context().Err() != nil ||
		went && !(h.attack.Resend && (notProcessed(err) || lost)) {
		return nil, went
	}
	return transport.CloneForRetry(r), went
}

// A streamReset has the form of net/http's internal error, which has no exported name.
type streamReset struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (s streamReset) Error() string { return fmt.Sprintf("reset by code %d", s.Code) }

// notProcessed means that the server refused the stream, or that the stream is beyond the last one
// of its GOAWAY.
func notProcessed(err error) bool {
	const refused = 7 // RFC 9113, 7
	var reset streamReset
	return errors.As(err, &reset) && reset.Code == refused ||
		err.Error() == "http2: Transport received Server's graceful shutdown GOAWAY"
}

type lent struct {
	io.ReadCloser
	give func()
}

func (l *lent) Close() error {
	err := l.ReadCloser.Close()
	l.give()
	return err
}

// connect waits for the server's settings, which contain its limit of streams.
func (h *http2) connect(
	ctx context.Context, u *url.URL, name string, limit func(streams int),
) (*streamed, error) {
	_, address, err := addressOf(u, h.attack.HTTP2)
	if err != nil {
		return nil, err
	}
	d := &dialed{name: name}
	c, err := h.transport.NewClientConn(context.WithValue(ctx, dialedKey{}, d), "http", address)
	if err != nil {
		return nil, err
	}
	if err := d.frames.Settled(ctx); err != nil {
		_ = c.Close() // nothing was sent on it
		return nil, err
	}
	d.frames.Limited(limit)
	return &streamed{ClientConn: c, frames: d.frames}, nil
}

type dialed struct {
	name   string // of the server
	frames *transport.WatchedConn
}

type dialedKey struct{}

func (h *http2) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := ctx.Value(dialedKey{}).(*dialed)
	made, err := h.conns.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	spoken := "HTTP/2 in the clear"
	if h.attack.HTTP2 {
		begun := time.Now()
		config := h.tls.Clone()
		config.ServerName = d.name
		secure, err := transport.Secure(ctx, made, config)
		_ = h.conns.Secured(ctx, err)
		if err == nil && secure.ConnectionState().NegotiatedProtocol != "h2" {
			err = errors.New("the server does not support HTTP/2 over TLS")
		}
		if err != nil {
			_ = made.Close() // nothing was sent on it
			return nil, err
		}
		h.calls.Secured(time.Since(begun))
		spoken, made = "HTTP/2 over "+tls.VersionName(secure.ConnectionState().Version), secure
	}
	h.protocol.CompareAndSwap(nil, &spoken)
	d.frames = transport.Watch(made, h.counts)
	return d.frames, nil
}
