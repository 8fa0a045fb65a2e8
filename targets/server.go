//go:build !js

package targets

import (
	"net/http"
	"time"
)

// NewServer serves h with limits, so that no client can hold a connection forever or fill the
// memory.
//
//	ReadHeaderTimeout  5 s   for the header
//	ReadTimeout       30 s   for header and body
//	WriteTimeout       5 m   from the end of the header to the end of the response. The response of
//	                         a longer call is lost, so raise this for longer work or waits
//	IdleTimeout        1 m   between requests
//	MaxHeaderBytes    16 KiB
//
// It supports HTTP/1.1 and HTTP/2, also without TLS (h2c with prior knowledge). The listener must
// limit the number of connections. The caller sets ErrorLog, because net/http would write to
// standard error.
func NewServer(h http.Handler) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Protocols:         protocols,
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      5 * time.Minute,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
}
