package attack

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxHeader is as much of an answer's header as is read.
const maxHeader = 1 << 20

// A caller makes the calls of an attack, each with the next of its requests.
type caller struct {
	requests  []Request
	built     []*http.Request // of which every call takes a shallow copy: parsing a URL costs a microsecond
	wired     [][]byte        // of wires
	redirects int
	transport *http.Transport
	client    http.Client
	conns     *conns
}

func newCaller(a Attack) *caller {
	c := &caller{requests: a.Requests, redirects: a.Redirects, conns: &conns{connect: a.dial, open: map[*conn]struct{}{}}}
	if a.dial == nil {
		c.conns.connect = new(net.Dialer).DialContext
	}
	for _, r := range a.Requests {
		built, err := r.Request()
		if err != nil {
			panic(fmt.Sprintf("attack: Validate let a request pass: %v", err))
		}
		c.built = append(c.built, built)
	}
	kept := a.Connections
	if kept == 0 {
		kept = maxClients
	}
	c.transport = &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            c.conns.dial,
		TLSClientConfig:        &tls.Config{InsecureSkipVerify: a.Insecure},
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    kept,
		MaxConnsPerHost:        a.Connections,
		DisableCompression:     true, // an answer counts as it was sent
		MaxResponseHeaderBytes: maxHeader,
	}
	c.client = http.Client{Transport: c.transport, Timeout: a.Timeout, CheckRedirect: follow(a.Redirects)}
	return c
}

// follow lets so many redirects pass.
func follow(most int) func(*http.Request, []*http.Request) error {
	return func(_ *http.Request, via []*http.Request) error {
		switch {
		case most == 0:
			return http.ErrUseLastResponse
		case len(via) > most:
			return fmt.Errorf("more than %d redirects", most)
		}
		return nil
	}
}

// close ends every connection and every request that is on one.
func (c *caller) close() {
	c.conns.close()
	c.transport.CloseIdleConnections()
}

// An answer is what became of one call. One of 101 Switching Protocols has no body to read: what looks like it is the connection, on
// which no timeout of the client's counts any more.
type answer struct {
	status     int // 0: there is none
	in, out    int64
	retryAfter time.Duration
	err        error // why there is none, or not all of it
}

// call sends request number seq and reads the answer to its end.
func (c *caller) call(ctx context.Context, seq uint64) answer {
	which := seq % uint64(len(c.built))
	req := c.built[which].WithContext(ctx)
	if body := c.requests[which].Body; len(body) > 0 {
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return answer{err: err}
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return answer{status: resp.StatusCode, err: resp.Body.Close()}
	}
	in, err := io.Copy(io.Discard, resp.Body)
	if e := resp.Body.Close(); err == nil {
		err = e
	}
	a := answer{in: in, out: max(req.ContentLength, 0), err: err}
	if err == nil {
		a.status, a.retryAfter = resp.StatusCode, retryAfter(resp.Header.Get("Retry-After"), time.Now)
	}
	return a
}

// retryAfter reads the header: whole seconds, or a date. One that is neither, or beyond what a Duration can hold, is not there.
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

// discarding is the transport of vegeta's client. Vegeta reads every body into memory, and would go on for as long as a server sends; it is to find each of
// them empty, and its length in the header.
//
// The timeout is here, too: that of an http.Client whose transport is not net/http's own costs it a goroutine a call.
type discarding struct {
	*http.Transport
	timeout time.Duration // of a call, redirects included
}

// bytesIn is the header that carries the length of a body from discarding to the result.
const bytesIn = "Poolbench-Bytes-In"

// RoundTrip implements http.RoundTripper.
func (d discarding) RoundTrip(r *http.Request) (*http.Response, error) {
	deadline := time.Now().Add(d.timeout)
	if from := r.Response; from != nil { // a redirect: the call goes on
		if first, ok := from.Request.Context().Deadline(); ok {
			deadline = first
		}
	}
	ctx, cancel := context.WithDeadline(r.Context(), deadline)
	resp, err := d.Transport.RoundTrip(r.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	delete(resp.Header, bytesIn)
	switch {
	case resp.StatusCode == http.StatusSwitchingProtocols:
		defer cancel()
		if err := resp.Body.Close(); err != nil {
			return nil, err
		}
		resp.Body = http.NoBody
	case resp.Body == http.NoBody:
		cancel()
	default:
		resp.Body = &discarded{resp.Body, resp.Header, cancel}
	}
	return resp, nil
}

// A discarded body is thrown away at the first Read.
type discarded struct {
	io.ReadCloser
	header http.Header
	cancel context.CancelFunc // what the call holds
}

// Read reads everything there is and returns nothing of it.
func (d *discarded) Read([]byte) (int, error) {
	n, err := io.Copy(io.Discard, d.ReadCloser)
	if err != nil {
		return 0, err
	}
	if n > 0 {
		d.header[bytesIn] = []string{strconv.FormatInt(n, 10)}
	}
	return 0, io.EOF
}

// Close implements io.Closer.
func (d *discarded) Close() error {
	defer d.cancel()
	return d.ReadCloser.Close()
}
