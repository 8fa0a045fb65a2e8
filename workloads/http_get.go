//go:build !js

package workloads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/transport"
)

var _ = register(Spec{
	Name: "http_get",
	Summary: "gets a page over HTTP through a bounded pool of connections, from its own server " +
		"on loopback or from any other server",
	Kind: IO,
	Keys: []param.Key{
		{Name: "url", Kind: param.Text, Default: "own", Doc: "URL of the page; own: a page of a " +
			"server that the workload starts and that contains the target"},
		{Name: "service", Kind: param.Distribution, Default: "exp(1ms)", Doc: "service time of " +
			"its own server; with a url, the assumed mean service time of that server"},
		{Name: "conns", Kind: param.Int, Default: "100",
			Doc: "largest number of connections; further tasks wait for a connection"},
		{Name: "protocol", Kind: param.Choice, Default: "http1",
			Choices: []string{"http1", "h2c", "http2"}, Doc: "HTTP/1.1; HTTP/2 without TLS; or " +
				"HTTP/2 with TLS, for an https url. A connection of HTTP/2 has as many tasks at " +
				"once as its server allows"},
		{Name: "timeout", Kind: param.Duration, Default: "5s",
			Doc: "time after which a task fails, including the wait for a connection, at most 1h"},
	},
	New:   newHTTPGet,
	Check: checkHTTPGet,
})

func checkHTTPGet(v param.Values) error {
	if n := v.Int("conns"); n < 1 {
		return fmt.Errorf("conns: must be positive, got %d", n)
	}
	if d := v.Duration("timeout"); d <= 0 || d > time.Hour {
		return fmt.Errorf("timeout: must be positive and at most 1h, got %s",
			dist.FormatDuration(d))
	}
	spoken := v.Choice("protocol")
	if !v.Given("url") {
		if spoken == "http2" {
			return errors.New("protocol: http2 needs TLS, and its own server has no TLS: want h2c")
		}
		return nil
	}
	if v.Dist("service").Mean() <= 0 {
		return errors.New("service: the mean must be positive")
	}
	u, err := url.Parse(v.Text("url"))
	switch { // without the text itself, in case there is a password in it
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return errors.New("url: want an address such as http://127.0.0.1:8080/path")
	case u.Port() != "" && !isPort(u.Port()):
		return errors.New("url: want a port from 1 to 65535")
	case u.User != nil:
		return errors.New("url: must contain neither a user nor a password, because names of " +
			"results contain the url")
	case spoken == "h2c" && u.Scheme != "http":
		return errors.New("protocol: h2c is without TLS: want an http url, or http2")
	case spoken == "http2" && u.Scheme != "https":
		return errors.New("protocol: http2 needs TLS: want an https url, or h2c")
	}
	return nil
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

func newHTTPGet(seed uint64, v param.Values) (Workload, error) {
	service := v.Dist("service")
	w := newHTTPClient(v.Int("conns"), v.Duration("timeout"), v.Choice("protocol"))
	w.timeMoments = timeMoments{service.Mean(), service.C2()}
	if v.Given("url") {
		text := v.Text("url")
		w.url.Store(&text)
		return w, nil
	}
	trip, err := w.roundTrip()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("a server on loopback: %w", err), w.Close())
	}
	w.timeMoments = w.plus(trip) // which is taken for constant
	waits := newWaits(seed, service)
	return &httpOwn{httpClient: w, service: waits.Do, sleepBy: waits.SleepBy}, nil
}

// seqHeader contains the sequence number of the task, so the server does the same work.
const seqHeader = "Poolbench-Seq"

// A larger answer is an error, because a body may have no end.
const maxBody = 1 << 20

// An httpClient uses no proxy and does not request compression.
type httpClient struct {
	client  http.Client
	timeout time.Duration
	url     atomic.Pointer[string] // nil: there is no server, or the workload is closed
	// with its own server: service plus a measured loopback round trip. With a url: assumed by the
	// user, because an external server is not called before the run
	timeMoments
}

func newHTTPClient(conns int, timeout time.Duration, protocol string) *httpClient {
	protocols := new(http.Protocols)
	switch protocol {
	case "h2c":
		protocols.SetUnencryptedHTTP2(true)
	case "http2":
		protocols.SetHTTP2(true)
	default:
		protocols.SetHTTP1(true)
	}
	return &httpClient{timeout: timeout,
		client: http.Client{Transport: transport.Transport{Transport: &http.Transport{
			// a connection may be for another task than the one that requested it
			DialContext:            (&net.Dialer{Timeout: timeout}).DialContext,
			Protocols:              protocols,
			MaxConnsPerHost:        conns,
			MaxIdleConnsPerHost:    conns,
			IdleConnTimeout:        idleTimeout,
			TLSHandshakeTimeout:    timeout,
			ResponseHeaderTimeout:  timeout,
			MaxResponseHeaderBytes: 64 << 10,
			DisableCompression:     true,
		}}}}
}

var errNoServer = errors.New("there is no server: it must be started before the first task, and " +
	"the workload is not yet closed")

// A status of 400 or above is a *StatusError. Silence, an endless or short body, and more than ten
// redirects are errors within the timeout. No error includes the url.
func (w *httpClient) Do(ctx context.Context, seq uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	address := w.url.Load()
	if address == nil {
		return errNoServer
	}
	// the timeout of an http.Client would cost a goroutine for each task
	timed, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(timed, http.MethodGet, *address, nil)
	if err != nil {
		return err
	}
	r.Header.Set(seqHeader, strconv.FormatUint(seq, 10))
	answer, err := w.client.Do(r)
	if err != nil {
		return w.failure(ctx, err)
	}
	n, err := io.Copy(io.Discard, io.LimitReader(answer.Body, maxBody+1))
	err = errors.Join(err, answer.Body.Close()) // without its end, the connection with it
	switch {
	case answer.StatusCode >= 400: // says enough, whatever the body says
		return &StatusError{answer.StatusCode,
			retryAfter(answer.Header.Get("Retry-After"), time.Now())}
	case err != nil:
		return w.failure(ctx, err)
	case n > maxBody:
		return errors.New("the body is larger than 1 MiB")
	}
	return nil
}

func (w *httpClient) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if timeout, is := errors.AsType[net.Error](err); is && timeout.Timeout() {
		return fmt.Errorf("no complete answer within %v", w.timeout)
	}
	if named, is := errors.AsType[*url.Error](err); is {
		return named.Err
	}
	return err
}

func (w *httpClient) Close() error {
	w.url.Store(nil)
	w.client.CloseIdleConnections()
	return nil
}
