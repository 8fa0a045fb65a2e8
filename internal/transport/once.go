package transport

import (
	"io"
	"net/http"
)

// Send makes the request one that net/http cannot send again: with a body, that cannot be had
// again. An empty one changes nothing of what goes over a connection of HTTP/1, but that a POST
// with an Idempotency-Key does not say that its length is 0; HTTP/2 ends it in a frame of its own.
// Send is for an http.RoundTripper, which has a copy of the request: an http.Client would follow no
// 307 of one with such a body.
func Send(r *http.Request) {
	r.GetBody = nil
	if (r.Body == nil || r.Body == http.NoBody) && Idempotent(r) {
		// Of a length that is not known, which for these methods stands for none. "identity" keeps
		// net/http from reading it beforehand, in a goroutine with a timer, to see whether there is
		// any.
		r.Body, r.ContentLength, r.TransferEncoding = nothing{}, 0, identity
	}
}

// A Transport sends every request once.
type Transport struct{ *http.Transport }

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.WithContext(r.Context()) // a copy: the caller's stays as it is
	Send(r)
	return t.Transport.RoundTrip(r)
}

// Idempotent says whether net/http takes the request for one that may be sent again.
func Idempotent(r *http.Request) bool {
	switch r.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	_, key := r.Header["Idempotency-Key"]
	_, xkey := r.Header["X-Idempotency-Key"]
	return key || xkey
}

var identity = []string{"identity"}

// nothing is a body that is no http.NoBody.
type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, io.EOF }
func (nothing) Close() error             { return nil }
