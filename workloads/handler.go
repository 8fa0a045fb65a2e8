//go:build !js

package workloads

import (
	"context"
	"net/http"
	"time"
)

// Served is implemented by workloads that start a server. The run's target is then in that server.
type Served interface {
	// Serve starts the server before the first Do. wrap makes the handler from one request's work.
	Serve(wrap func(work Work) http.Handler) error
}

func statusText(code int) string { return http.StatusText(code) }

// Handler describes a workload whose tasks are requests to an http.Handler without a connection. A
// status of 400 or above is a StatusError. For moments see Func.
func Handler(
	name string, h http.Handler, request func(seq uint64) *http.Request, known ...Moments,
) Spec {
	s := Func(name, func(ctx context.Context, seq uint64) error {
		a := &statusWriter{header: http.Header{}}
		h.ServeHTTP(a, request(seq).WithContext(ctx))
		if a.status >= http.StatusBadRequest {
			return &StatusError{a.status, retryAfter(a.header.Get("Retry-After"), time.Now())}
		}
		return ctx.Err()
	}, known...)
	s.Summary = "requests to an HTTP handler of this program"
	return s
}

type statusWriter struct {
	header http.Header
	status int
}

func (w *statusWriter) Header() http.Header { return w.header }

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK { // the first that is no hint counts
		w.status = status
	}
}

func (w *statusWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return len(p), nil
}
