package attack

import (
	"context"
	"net/http"
	"time"
)

// follow does what a redirect asks for, as an http.Client would: that decides about method, body,
// headers and Referer of each request, and the answers come over wires.
func (all *wiring) follow(
	ctx context.Context, m *message, deadline time.Time, first *http.Response,
) (last answer) {
	via := func(r *http.Request) (*http.Response, error) {
		o, err := all.encode(r)
		if err != nil {
			return nil, err
		}
		last = all.exchange(ctx, o, time.Now(), deadline)
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
		return &http.Response{StatusCode: last.status, Header: header, Body: http.NoBody}, nil
	}
	resp, err := m.follow(ctx, first, all.attack.Redirects, via)
	last.stored = true
	if err != nil {
		last.status, last.retryAfter, last.err = 0, 0, err
		return last
	}
	_ = resp.Body.Close() // it is empty
	return last
}

// follow is what a client of net/http's makes of the message whose first answer is there; further
// ones come by via.
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

// A roundTrip is an http.RoundTripper.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
