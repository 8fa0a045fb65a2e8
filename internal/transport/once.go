package transport

import (
	"io"
	"net/http"
)

// Send gives a request a body that cannot be read again, so net/http cannot send the request again.
// In HTTP/1 an empty body only removes the Content-Length of 0 of a POST with an Idempotency-Key.
// In HTTP/2 a separate frame ends the request. Send a copy in an http.RoundTripper, because an
// http.Client would not follow a 307 for this request.
func Send(r *http.Request) {
	r.GetBody = nil
	if (r.Body == nil || r.Body == http.NoBody) && Idempotent(r) {
		// The length is unknown, which means no body for these methods. "identity" keeps net/http
		// from probing the body in a goroutine with a timer.
		r.Body, r.ContentLength, r.TransferEncoding = emptyBody{}, 0, identity
	}
}

type Transport struct{ *http.Transport }

func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.WithContext(r.Context()) // a copy, because the caller owns the request
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

// Repeatable reports whether a request is idempotent (RFC 9110, 9.2.2), so it may be sent again
// even if the server has processed it.
func Repeatable(r *http.Request) bool {
	return Idempotent(r) || r.Method == http.MethodPut || r.Method == http.MethodDelete
}

var identity = []string{"identity"}

// emptyBody is an empty body that differs from http.NoBody.
type emptyBody struct{}

func (emptyBody) Read([]byte) (int, error) { return 0, io.EOF }
func (emptyBody) Close() error             { return nil }
