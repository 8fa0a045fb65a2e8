package attack

import (
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/transport"
)

const maxHeader = 1 << 20

type caller struct {
	ctx       context.Context // of the attack
	messages  []message
	lazy      bool // messages are examples
	keep      checks.Needs
	said      [1000]atomic.Int32 // answers kept without need, by status
	way       exchanger
	wiring    *wiring                // the way, if it is one; else nil
	why       string                 // why the attack does not use a wiring
	protocol  atomic.Pointer[string] // protocol of https; nil: not known yet
	resent    atomic.Int64
	transport *http.Transport
	sender    http.RoundTripper // of net/http
	tls       *tls.Config       // of all connections, without a server name
	names     serverNames
	hosts     *names
	conns     *connSet
	calls     *record.CallCounter
	attack    *Attack
}

func newCaller(
	ctx context.Context, a Attack, give context.CancelCauseFunc,
) (*caller, error) {
	count := new(record.CallCounter)
	c := &caller{ctx: ctx, messages: a.messages(), lazy: a.isLazy(),
		keep: a.answerNeeds(), names: a.serverNames(), calls: count, attack: &a}
	c.conns = c.newConns(give)
	var err error
	if c.tls, err = a.TLS.config(); err != nil {
		return nil, err
	}
	c.tls.InsecureSkipVerify = a.Insecure
	byNetHTTP := c.tls.Clone()
	byNetHTTP.ServerName = c.names.common(c.messages)
	c.transport = &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            c.conns.Dial,
		TLSClientConfig:        byNetHTTP,
		TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{}, // HTTP/1.1
		MaxIdleConnsPerHost:    cmp.Or(a.Connections, maxClients),
		MaxConnsPerHost:        a.Connections,
		DisableKeepAlives:      a.NoKeepAlive,
		DisableCompression:     true, // bodies are counted as sent
		MaxResponseHeaderBytes: maxHeader,
	}
	if a.UnixSocket != "" {
		c.transport.Proxy = nil
	}
	c.sender = &sender{c.transport, a.Resend, &c.resent}
	if err := c.choose(ctx, a); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *caller) choose(ctx context.Context, a Attack) error {
	if p := a.protocol(); p != nil {
		f, err := c.newProtocolSender(ctx, p, a)
		if err != nil {
			return err
		}
		c.way = f
	} else if a.HTTP2 || a.H2C {
		c.way = c.newHTTP2(a)
	} else if a.HTTP3 {
		h, err := c.newHTTP3(a)
		if err != nil {
			return err
		}
		c.way = h
	} else if ok, why := c.canWire(a); ok {
		c.wiring = c.newWiring()
		c.way = c.wiring
	} else {
		c.why = why
	}
	if c.way != nil {
		for i := range c.messages {
			if err := c.way.prepare(&c.messages[i]); c.wiring != nil && err != nil {
				c.wiring, c.why = nil, err.Error() // each request will fail with it, too
				break
			} else if err != nil {
				return err
			}
		}
	}
	if c.wiring == nil && c.why != "" {
		c.way = &byNetHTTP{c}
	}
	return nil
}

// byNetHTTP uses the proxies of the environment.
type byNetHTTP struct{ *caller }

func (b *byNetHTTP) prepare(*message) error { return nil }

func (b *byNetHTTP) spoken() string { return "by net/http, since " + b.why }

func (b *byNetHTTP) close() {}

func (b *byNetHTTP) call(ctx context.Context, m *message) answer {
	ctx, cancel := context.WithTimeout(ctx, b.attack.Timeout)
	defer cancel()
	w := callTrace{calls: b.calls}
	ctx = httptrace.WithClientTrace(ctx, w.trace())
	var went hops
	send := went.through(b.sender.RoundTrip)
	if m.visit != nil || b.attack.Redirects > 0 {
		send = m.visit.client(send, b.attack.Redirects).Do
	}
	resp, err := send(m.http(ctx))
	if err != nil {
		return answer{err: transport.ExplainTLS(err, false), in: went.in, out: went.out}
	}
	a := b.read(resp)
	a.in, a.out = went.in, went.out
	a.noteFollowed(resp)
	a.stored = true
	a.firstByte = time.Duration(w.first.Load() - w.sent.Load())
	return a
}

func (c *caller) spokenOr(other string) string {
	if spoken := c.protocol.Load(); spoken != nil {
		return *spoken
	}
	return other
}

func (c *caller) close() {
	c.conns.Close()
	c.transport.CloseIdleConnections()
	if c.way != nil {
		c.way.close()
	}
}

func (c *caller) sentAgain() int64 {
	n := c.resent.Load()
	switch way := c.way.(type) {
	case *protocolSender:
		n += way.sender.Resent()
	case *http3:
		n += way.transport.Resent()
	}
	return n
}

func (c *caller) call(ctx context.Context, m *message) answer {
	if m.err != nil {
		return answer{err: m.err}
	}
	return c.way.call(ctx, m)
}

// Any goroutine may call the hooks of a callTrace, also after the answer. Times are in ns since
// begun.
type callTrace struct {
	calls       *record.CallCounter
	begun       time.Time
	secured     atomic.Int64 // when the last handshake began
	sent, first atomic.Int64 // of the last request within the call and its answer
}

func (w *callTrace) trace() *httptrace.ClientTrace {
	w.begun = time.Now()
	now := func() int64 { return int64(time.Since(w.begun)) }
	return &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { w.sent.Store(now()) },
		GotFirstResponseByte: func() { w.first.Store(now()) },
		TLSHandshakeStart:    func() { w.secured.Store(now()) },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			if err == nil {
				w.calls.Secured(time.Duration(now() - w.secured.Load()))
			}
		},
	}
}

func (c *caller) read(resp *http.Response) answer {
	a := answer{kept: c.keptAnswer(resp.StatusCode)}
	if a.kept != nil {
		a.kept.Header = resp.Header
	}
	a.in, a.err = io.Copy(a.body(), resp.Body)
	if e := resp.Body.Close(); a.err == nil {
		a.err = e
	}
	a.out = max(resp.Request.ContentLength, 0)
	if a.err == nil {
		a.status, a.retryAfter = resp.StatusCode,
			retryAfter(resp.Header.Get("Retry-After"), time.Now)
	}
	return a
}

// retryAfter parses whole seconds or a date. It returns 0 for anything else and on overflow.
func retryAfter(text string, now func() time.Time) time.Duration {
	if text == "" {
		return 0
	}
	text = strings.TrimSpace(text)
	if s, err := strconv.ParseUint(text, 10, 63); err == nil {
		if s > uint64(1<<63-1)/uint64(time.Second) {
			return 0
		}
		return time.Duration(s) * time.Second
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(date.Sub(now()), 0)
	}
	return 0
}

// A sender counts round trips and sends each request once unless resending is allowed.
type sender struct {
	*http.Transport
	resend bool
	resent *atomic.Int64
}

func (s *sender) RoundTrip(r *http.Request) (*http.Response, error) {
	var written atomic.Int32 // by any goroutine, also after the answer
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil && written.Add(1) > 1 {
				s.resent.Add(1)
			}
		}}))
	if !s.resend {
		transport.Send(r)
	}
	resp, err := s.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		// the body is the connection itself, to which timeouts no longer apply
		if err := resp.Body.Close(); err != nil {
			return nil, err
		}
		resp.Body = http.NoBody
	}
	return resp, nil
}
