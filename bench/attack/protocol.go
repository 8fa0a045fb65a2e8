package attack

import (
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/internal/transport"
)

// An exchanger sends messages and reads the answers to their ends.
type exchanger interface {
	// prepare does the work that is possible before a message is due.
	prepare(m *message) error
	call(ctx context.Context, m *message) answer
	spoken() string
	close()
}

// A Protocol sends requests whose URLs have its own schemes. Its package registers it on import.
type Protocol struct {
	Name    string
	Schemes map[string]string // and their ports; "": a URL must name one
	// without network access
	Check func(a Attack, r Request) error
	Open  func(ctx context.Context, o OpenArgs) (Sender, error)
	// for a status above 0
	Outcome func(status int) record.Outcome
	Status  func(status int) string
	// Like returns the closest HTTP status, for checks and for vegeta's encoding.
	Like func(status int) int
}

// A Transport sends requests over HTTP/3: each once, unless Attack.Resend is set.
type Transport interface {
	http.RoundTripper
	Streams() record.Streams
	Resent() int64
	Close()
}

// RegisterHTTP3 registers the HTTP/3 implementation, from an init function.
func RegisterHTTP3(open func(o OpenArgs) (Transport, error)) {
	openHTTP3 = open
}

var openHTTP3 func(o OpenArgs) (Transport, error)

type http3 struct {
	*byNetHTTP
	transport Transport
}

func (c *caller) newHTTP3(a Attack) (*http3, error) {
	t, err := openHTTP3(OpenArgs{Attack: a, Dialed: c.conns.Dialed, Config: c.tls,
		ServerName: c.names.serverName, Lookup: c.lookup})
	if err != nil {
		return nil, err
	}
	c.calls.HasStreams(t.Streams)
	c.sender = t
	return &http3{&byNetHTTP{c}, t}, nil
}

func (c *caller) lookup(ctx context.Context, address string) (all []string, err error) {
	for _, at := range c.attack.Addresses(address) {
		preferred, others, err := c.hosts.addresses(ctx, at)
		if err != nil {
			return nil, err
		}
		all = append(append(all, preferred...), others...)
	}
	return all, nil
}

func (h *http3) spoken() string { return "HTTP/3" }

func (h *http3) close() { h.transport.Close() }

// OpenArgs has the arguments for opening a Sender or a Transport.
type OpenArgs struct {
	Attack
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Dialed counts a connection that was not made by Dial, or the failure to make one.
	Dialed func(ctx context.Context, took time.Duration, err error)
	Host   string // and port, of all requests of a Sender
	// Config applies to all connections and has no server name. ServerName returns it.
	Config     *tls.Config
	ServerName func(*http.Request) (string, error)
	// Secured counts the end of a handshake and returns its error.
	Secured func(context.Context, error) error
	// Lookup returns the addresses of a host and port, in the order to try.
	Lookup func(ctx context.Context, address string) ([]string, error)
	// Watch counts a secured connection as one of HTTP/2.
	Watch func(net.Conn) net.Conn
}

// A Sender sends the requests of an attack. Prepare and Send may be called concurrently.
type Sender interface {
	// Prepare encodes a request for Send.
	Prepare(r Request) (message any, err error)
	// Send sends the message once, unless Attack.Resend is set, and returns by the deadline. wants
	// requests header and body of the answer.
	Send(ctx context.Context, message any, deadline time.Time, wants bool) Answer
	Resent() int64
	Close()
}

// An Answer is the outcome of a request.
type Answer struct {
	Status     int // above 0; 0: no answer
	In, Out    int64
	RetryAfter time.Duration
	Err        error // why there is no answer
	Header     http.Header
	Body       []byte
	Message    string // of a status that is not OK
}

// protocols maps schemes other than HTTP's. Only init functions write it.
var protocols = map[string]*Protocol{}

// RegisterProtocol registers a protocol, from an init function. It panics if a scheme is taken.
func RegisterProtocol(p Protocol) {
	for scheme := range p.Schemes {
		if protocols[scheme] != nil || scheme == "http" || scheme == "https" {
			panic(fmt.Sprintf("attack: scheme %s is registered twice", scheme))
		}
		protocols[scheme] = &p
	}
}

// Schemes returns the URL schemes that can be attacked.
func Schemes() []string {
	return append([]string{"http", "https"}, slices.Sorted(maps.Keys(protocols))...)
}

func (a Attack) protocol() *Protocol {
	if len(a.Requests) == 0 {
		return nil
	}
	scheme, _, _ := strings.Cut(a.Requests[0].URL, "://")
	return protocols[strings.ToLower(scheme)]
}

func (a Attack) checkProtocol() (wrong text.Complaints) {
	complain := wrong.If
	p := a.protocol()
	complain(a.Streams < 0, "streams %d: want 1 or more", a.Streams)
	complain(a.HTTP3 && openHTTP3 == nil, "http3: the package bench/attack/http3 is not imported")
	complain(a.HTTP3 && (a.HTTP2 || a.H2C || p != nil || a.UnixSocket != ""),
		"http3: it uses UDP: want no http2, h2c, gRPC or Unix socket")
	complain(a.Streams > 0 && p == nil && !a.HTTP2 && !a.H2C && !a.HTTP3,
		"streams: want http2, h2c, http3 or gRPC, because a connection of HTTP/1.1 has one "+
			"request at a time")
	complain(a.NoKeepAlive && (p != nil || a.HTTP2 || a.H2C || a.HTTP3), "no-keepalive: want "+
		"HTTP/1.1, because connections of the other protocols have many requests")
	complain(a.HTTP2 && a.H2C, "http2 and h2c exclude each other: http2 needs TLS, and h2c is "+
		"without TLS")
	complain(p != nil && (a.HTTP2 || a.H2C), "http2, h2c: %s always uses HTTP/2",
		nameOf(p))
	complain(p != nil && a.Checks.OfStatus(), "check: %s decides by its own status codes: want "+
		"no check on the status", nameOf(p))
	complain(p == nil && len(a.Descriptors) > 0, "proto: only gRPC uses it")
	complain(p != nil && a.Redirects > 0 && a.Redirects != Defaults().Redirects,
		"redirects: %s has no redirects", nameOf(p))
	hosts := map[string]bool{}
	for i := range a.Requests {
		r := a.filled(i)
		u, err := url.Parse(r.URL)
		if err != nil {
			continue // checkRequest reports it
		}
		hosts[u.Host] = true
		switch {
		case a.H2C && u.Scheme == "https":
			complain(true, "h2c: it is without TLS, and %s needs TLS: want http2", a.Show(r.URL))
		case a.HTTP2 && u.Scheme == "http":
			complain(true, "http2: it needs TLS, and %s is without TLS: want the same scheme for "+
				"all URLs",
				a.Show(r.URL))
		case a.HTTP3 && u.Scheme == "http":
			complain(true, "http3: it needs TLS, and %s is without TLS", a.Show(r.URL))
		case protocols[u.Scheme] != p:
			complain(true, "%s: the first request uses another protocol", a.Show(r.URL))
		case p != nil:
			wrong.Note(p.Check(a, r))
		}
		if a.HTTP2 || a.H2C || a.HTTP3 {
			for name := range r.Header {
				complain(ofConnection[http.CanonicalHeaderKey(name)],
					"header %s: HTTP/2 and HTTP/3 have no headers for connections", name)
			}
		}
	}
	complain(p != nil && len(hosts) > 1, "%s: all requests must go to one host, but these go to %d",
		nameOf(p), len(hosts))
	return wrong
}

// RFC 9113, 8.2.2 forbids these headers.
var ofConnection = map[string]bool{"Connection": true, "Proxy-Connection": true,
	"Keep-Alive": true, "Transfer-Encoding": true, "Upgrade": true}

func nameOf(p *Protocol) string {
	if p == nil {
		return "HTTP"
	}
	return p.Name
}

type protocolSender struct {
	*caller
	protocol *Protocol
	sender   Sender
}

func (c *caller) newProtocolSender(
	ctx context.Context, p *Protocol, a Attack,
) (*protocolSender, error) {
	origin, _ := cutOrigin(a.Requests[0].URL)
	u, err := url.Parse(origin)
	if err != nil {
		return nil, err
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), p.Schemes[u.Scheme])
	}
	asking, cancel := context.WithTimeout(ctx, a.Timeout)
	defer cancel()
	seen := c.streams()
	watch := func(c net.Conn) net.Conn { return transport.Watch(c, seen) }
	s, err := p.Open(asking, OpenArgs{Attack: a, Dial: c.conns.Dial,
		Dialed: c.conns.Dialed, Host: host, Watch: watch, Config: c.tls,
		Secured: c.conns.Secured})
	return &protocolSender{c, p, s}, err
}

func (c *caller) streams() *transport.Counts {
	seen := new(transport.Counts)
	c.calls.HasStreams(func() record.Streams {
		return record.Streams{Peak: seen.Peak.Load(), GoAways: seen.GoAways.Load(),
			Resets: seen.Resets.Load(), Limit: seen.Limit.Load()}
	})
	return seen
}

func (f *protocolSender) prepare(m *message) (err error) {
	m.prepared, err = f.sender.Prepare(*m.request)
	return err
}

func (f *protocolSender) call(ctx context.Context, m *message) answer {
	deadline := time.Now().Add(f.attack.Timeout)
	sent := f.sender.Send(ctx, m.prepared, deadline, f.keep != checks.Needs{})
	a := answer{status: sent.Status, in: sent.In, out: sent.Out, retryAfter: sent.RetryAfter,
		err: sent.Err, kept: f.keptAnswer(sent.Status)}
	if a.kept != nil {
		a.kept.Header, a.kept.Message = sent.Header, sent.Message
		if _, err := a.kept.Write(sent.Body); err != nil && a.err == nil {
			a.err = err
		}
	}
	return a
}

func (f *protocolSender) spoken() string { return f.protocol.Name }

func (f *protocolSender) close() { f.sender.Close() }
