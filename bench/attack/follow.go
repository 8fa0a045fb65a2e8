package attack

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// follow does what a redirect asks for, as an http.Client would: that decides about method, body,
// headers and Referer of each request, and the answers come over wires.
func (all *wiring) follow(
	ctx context.Context, m *message, deadline time.Time, first *http.Response,
) (last answer) {
	via := func(r *http.Request) (*http.Response, error) {
		if first != nil {
			resp := first
			first = nil
			return resp, nil
		}
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
	client := m.visit.client(roundTrip(via), all.attack.Redirects)
	resp, err := client.Do(m.http(ctx))
	last.stored = true
	if err != nil {
		last.status, last.retryAfter, last.err = 0, 0, err
		return last
	}
	_ = resp.Body.Close() // it is empty
	return last
}

// follow lets so many redirects pass.
func follow(most int) func(*http.Request, []*http.Request) error {
	return func(_ *http.Request, via []*http.Request) error {
		if len(via) > most {
			return fmt.Errorf("more than %d redirects", most)
		}
		return nil
	}
}

// A roundTrip is an http.RoundTripper.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
