//go:build !js

package targets

import (
	"net/http"
	"time"
)

// NewServer serves h with every limit that net/http leaves open, so that no client can hold a
// connection for ever or fill the memory: by sending its header byte by byte or without end, by
// falling silent, or by not reading answers. It answers anything but HTTP with 400 and closes the
// connection.
//
//	ReadHeaderTimeout  5 s   for the header
//	ReadTimeout       30 s   for header and body
//	WriteTimeout       5 m   from the end of the header to the end of the answer. The call lies in between: one that takes longer
//	                         is done, but its answer is lost, so raise this where work or waits are longer
//	IdleTimeout        1 m   between requests
//	MaxHeaderBytes    16 KiB
//
// It speaks HTTP/1.1 and HTTP/2, the latter also in the clear (h2c with prior knowledge).
//
// The listener must limit the number of connections. The caller may change the fields before
// serving, and sets ErrorLog: without it net/http writes to standard error.
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
