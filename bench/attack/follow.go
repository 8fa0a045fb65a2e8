package attack

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// An http.Client decides about method, body, headers and Referer of each request.
func (all *wiring) follow(
	ctx context.Context, m *message, deadline time.Time, first answer,
) (last answer) {
	in, out := first.in, first.out
	via := func(r *http.Request) (*http.Response, error) {
		o, err := all.encode(r)
		if err != nil {
			return nil, err
		}
		last = all.exchange(ctx, o, time.Now(), deadline)
		in, out = in+last.in, out+last.out
		switch {
		case last.err != nil:
			return nil, last.err
		case last.redirect != nil:
			return last.redirect, nil
		}
		header := http.Header{}
		if m.visit != nil {
			header = last.kept.Fields()
		}
		return &http.Response{StatusCode: last.status, Header: header, Body: http.NoBody,
			Request: r}, nil
	}
	resp, err := m.follow(ctx, first.redirect, all.attack.Redirects, via)
	last.stored, last.in, last.out = true, in, out
	if err != nil {
		last.status, last.retryAfter, last.err = 0, 0, err
		return last
	}
	_ = resp.Body.Close() // it is empty
	last.noteFollowed(resp)
	return last
}

// hops counts the body bytes of a call that follows redirects.
type hops struct{ in, out int64 }

func (h *hops) through(via roundTrip) roundTrip {
	return func(r *http.Request) (*http.Response, error) {
		resp, err := via(r)
		if err != nil {
			return nil, err
		}
		h.out += max(r.ContentLength, 0)
		return h.count(resp), nil
	}
}

func (h *hops) count(resp *http.Response) *http.Response {
	resp.Body = &countedBody{resp.Body, &h.in}
	return resp
}

type countedBody struct {
	io.ReadCloser
	n *int64
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	*b.n += int64(n)
	return n, err
}

func (a *answer) noteFollowed(resp *http.Response) {
	if a.kept == nil {
		return
	}
	for r := resp.Request; r != nil && r.Response != nil; r = r.Response.Request {
		a.kept.Followed = append(a.kept.Followed, r.URL.String())
	}
}

// first is the answer to the first request. Later requests go through via.
func (m *message) follow(
	ctx context.Context, first *http.Response, redirects int, via roundTrip,
) (*http.Response, error) {
	client := m.visit.client(roundTrip(func(r *http.Request) (*http.Response, error) {
		if first == nil {
			return via(r)
		}
		resp := first
		first = nil
		return resp, nil
	}), redirects)
	return client.Do(m.http(ctx))
}

// leaves reports whether a redirect leads, or has led, to another host than the first request.
// Another port, or the same host without TLS, counts as another host, but the step from HTTP's port
// to HTTPS's does not.
func leaves(r *http.Request, via []*http.Request) bool {
	from := via[0].URL
	elsewhere := func(next *http.Request) bool {
		to := next.URL
		secured := from.Scheme == "http" && to.Scheme == "https" && isDefault(from) && isDefault(to)
		return !strings.EqualFold(from.Hostname(), to.Hostname()) ||
			!secured && (from.Scheme != to.Scheme || port(from) != port(to))
	}
	return elsewhere(r) || slices.ContainsFunc(via, elsewhere)
}

func port(u *url.URL) string {
	if u.Scheme == "https" {
		return cmp.Or(u.Port(), "443")
	}
	return cmp.Or(u.Port(), "80")
}

func isDefault(u *url.URL) bool { return port(u) == port(&url.URL{Scheme: u.Scheme}) }

// The Referer contains the previous query.
func dropHeaders(r *http.Request) {
	kind := r.Header.Values("Content-Type")
	r.Header = http.Header{}
	if r.Body != nil && kind != nil {
		r.Header["Content-Type"] = kind
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
