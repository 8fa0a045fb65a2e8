//go:build !js

package workloads

import "net/http"

// Served is implemented by workloads that start a server. The run's target is then in that server.
type Served interface {
	// Serve starts the server before the first Do. wrap makes the handler from one request's work.
	Serve(wrap func(work Work) http.Handler) error
}

func statusText(code int) string { return http.StatusText(code) }
