// Package http3 sends the requests of an attack over HTTP/3. Import it to register:
//
//	import _ "github.com/poolbench/poolbench/bench/attack/http3"
//
// It assigns requests to connections of quic-go, because quic-go's Transport has one connection per
// host, drops it after any error, and resends requests that the server has not begun.
package http3

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/quic-go/qlog"
	"github.com/quic-go/quic-go/qlogwriter"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/transport"
)

func init() { attack.RegisterHTTP3(open) }

type quicTransport struct {
	attack.OpenArgs
	socket *net.UDPConn
	quic   *quic.Transport
	http   http3.Transport
	config quic.Config

	hosts                      transport.Hosts[*conn]
	resent, open, peak, resets atomic.Int64
	limit                      atomic.Int64 // the lowest limit of a server; 0: none is known
}

type conn struct {
	*http3.ClientConn
	under *quic.Conn
}

func (c *conn) received() uint64 { return c.under.ConnectionStats().PacketsReceived }

func open(o attack.OpenArgs) (attack.Transport, error) {
	socket, err := net.ListenUDP("udp", nil)
	if err != nil {
		return nil, err
	}
	return &quicTransport{OpenArgs: o, socket: socket, quic: &quic.Transport{Conn: socket},
		http: http3.Transport{DisableCompression: true, MaxResponseHeaderBytes: 1 << 20},
		// the server opens no streams; a request may last until its timeout
		config: quic.Config{MaxIncomingStreams: -1, KeepAlivePeriod: 10 * time.Second},
		hosts: transport.Hosts[*conn]{Connections: o.Connections,
			Streams: o.Attack.Streams, Stands: stands}}, nil
}

func (t *quicTransport) Close() {
	_ = t.quic.Close() // its users get an error
	_ = t.socket.Close()
}

func (t *quicTransport) Resent() int64 { return t.resent.Load() }

func (t *quicTransport) Streams() record.Streams {
	return record.Streams{Peak: t.peak.Load(), Resets: t.resets.Load(), Limit: t.limit.Load()}
}

const maxAgain = 3

// Closing the body releases the stream.
func (t *quicTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	name, err := t.ServerName(r)
	if err != nil {
		return nil, err
	}
	to := t.hosts.Host(r.URL.Host + " " + name) // a connection has one server name
	deadline, _ := r.Context().Deadline()
	at, err := to.Acquire(r.Context(), deadline)
	if err != nil {
		return nil, err
	}
	n := t.open.Add(1)
	for was := t.peak.Load(); n > was && !t.peak.CompareAndSwap(was, n); was = t.peak.Load() {
	}
	give := sync.OnceFunc(func() { t.open.Add(-1); to.Release(at) })
	for tries, again := 0, false; ; tries++ {
		var resp *http.Response
		resp, at, err = t.try(r, name, to, at, deadline, again)
		if err == nil {
			resp.Body = &body{resp.Body, t, give}
			return resp, nil
		}
		t.count(err)
		if r, again = t.retry(r, tries, err); r == nil {
			give()
			return nil, err
		}
	}
}

// at is the connection to use, unless its server allows fewer streams. The number of the used
// connection is returned.
func (t *quicTransport) try(
	r *http.Request, name string, to *transport.Host[*conn], at int, deadline time.Time, again bool,
) (_ *http.Response, now int, _ error) {
	open := func(ctx context.Context, at int) (*conn, error) {
		c, streams, err := t.dial(ctx, r.URL.Host, name)
		if err == nil {
			to.Limit(at, streams)
		}
		return c, err
	}
	c, at, err := to.Use(r.Context(), deadline, at, open)
	if err != nil {
		return nil, at, err
	}
	if again {
		t.resent.Add(1)
	}
	before := c.received()
	resp, err := c.RoundTrip(r)
	// A killed server is silent, and a restarted one does not know the connection, which would stay
	// open until QUIC's idle timeout of 30 s.
	if err != nil && (unusable(err) || r.Context().Err() != nil && c.received() == before) {
		to.Leave(at, c)
	}
	return resp, at, err
}

func stands(c *conn) bool { return c.Context().Err() == nil }

// unusable reports whether nothing was sent on the connection. quic-go's error type is not
// exported.
func unusable(err error) bool { return fmt.Sprintf("%T", err) == "*http3.errConnUnusable" }

func (t *quicTransport) count(err error) {
	if e, ok := errors.AsType[*quic.StreamError](err); ok && e.Remote {
		t.resets.Add(1)
	}
}

// retry returns nil if the request must not be resent.
func (t *quicTransport) retry(
	r *http.Request, tries int, err error,
) (next *http.Request, went bool) {
	e, reset := errors.AsType[*http3.Error](err)
	went = !unusable(err)
	rejected := reset && e.Remote && e.ErrorCode == http3.ErrCodeRequestRejected
	lost := tries == 0 && transport.Repeatable(r) && ended(err)
	if tries >= maxAgain || r.Context().Err() != nil || went && !(t.Resend && (rejected || lost)) {
		return nil, went
	}
	return transport.CloneForRetry(r), went
}

// ended reports whether the server has ended the connection without an error, or is another
// process.
func ended(err error) bool {
	if _, restarted := errors.AsType[*quic.StatelessResetError](err); restarted {
		return true
	}
	e, closed := errors.AsType[*http3.Error](err)
	return closed && e.Remote && e.ErrorCode == http3.ErrCodeNoError
}

type body struct {
	io.ReadCloser
	of   *quicTransport
	give func()
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.of.count(err)
	return n, err
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.give()
	return err
}

func (t *quicTransport) dial(
	ctx context.Context, host, name string,
) (_ *conn, streams int, err error) {
	begun := time.Now()
	defer func() { t.Dialed(ctx, time.Since(begun), err) }()
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(strings.Trim(host, "[]"), "443")
	}
	config := t.Config.Clone()
	config.ServerName, config.NextProtos = name, []string{http3.NextProtoH3}
	all, err := t.Lookup(ctx, host)
	if err != nil {
		return nil, 0, err
	}
	var made *quic.Conn
	p := new(parameters)
	for _, address := range all {
		if made, err = t.connect(ctx, address, config, p); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return nil, 0, err
	}
	n := max(p.streams.Load(), 1) // a server that allows none yet will allow one: see Dealer.Limit
	for was := t.limit.Load(); (was == 0 || n < was) && !t.limit.CompareAndSwap(was, n); was =
		t.limit.Load() {
	}
	return &conn{t.http.NewClientConn(made), made}, int(min(n, math.MaxInt32)), nil
}

// quic-go shows the number of allowed streams only to its tracers. A server raises the limit by one
// with each stream that ends.
type parameters struct{ streams atomic.Int64 }

func (p *parameters) AddProducer() qlogwriter.Recorder { return p }

func (p *parameters) RecordEvent(e qlogwriter.Event) {
	if e, ok := e.(qlog.ParametersSet); ok && e.Initiator == qlog.InitiatorRemote {
		p.streams.Store(e.InitialMaxStreamsBidi)
	}
}

func (p *parameters) Close() error { return nil }

func (t *quicTransport) connect(
	ctx context.Context, address string, config *tls.Config, p *parameters,
) (*quic.Conn, error) {
	to, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		return nil, err
	}
	traced := t.config
	traced.Tracer = func(context.Context, bool, quic.ConnectionID) qlogwriter.Trace { return p }
	made, err := t.quic.Dial(ctx, to, config, &traced)
	if err != nil {
		return nil, transport.ExplainTLS(fmt.Errorf("dial udp %s: %w", to, err), false)
	}
	return made, nil
}
