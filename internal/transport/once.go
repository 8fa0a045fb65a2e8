package transport

import (
	"io"
	"net/http"
)

// Send makes a request that net/http cannot send again, with a body that cannot be read again. An
// empty body does not change a request of HTTP/1, except that a POST with an Idempotency-Key has no
// length of 0. HTTP/2 ends it with a separate frame. Use Send in an http.RoundTripper, which has a
// copy: an http.Client would not follow its 307.
func Send(r *http.Request) {
	r.GetBody = nil
	if (r.Body == nil || r.Body == http.NoBody) && Idempotent(r) {
		// An unknown length, which for these methods means none. "identity" keeps net/http from probing
		// the body in a goroutine with a timer.
		r.Body, r.ContentLength, r.TransferEncoding = nothing{}, 0, identity
	}
}

// A Transport sends every request once.
type Transport struct{ *http.Transport }

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.WithContext(r.Context()) // a copy: do not change the caller's
	Send(r)
	return t.Transport.RoundTrip(r)
}

// Idempotent reports whether net/http may send the request again.
func Idempotent(r *http.Request) bool {
	switch r.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	_, key := r.Header["Idempotency-Key"]
	_, xkey := r.Header["X-Idempotency-Key"]
	return key || xkey
}

// Repeatable reports whether a request is idempotent (RFC 9110, 9.2.2), so that it may be sent
// again although the server may have processed it.
func Repeatable(r *http.Request) bool {
	return Idempotent(r) || r.Method == http.MethodPut || r.Method == http.MethodDelete
}

var identity = []string{"identity"}

// nothing is an empty body other than http.NoBody.
type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, io.EOF }
func (nothing) Close() error             { return nil }
