package targets

import (
	"net/http"
	"time"
)

// NewServer serves h with every limit that net/http leaves open, so that no client can hold on to a
// connection for ever or fill the memory by itself: one that sends its header byte by byte, or a
// header without end, one that falls silent or does not read its answers. What is sent that is no
// HTTP is answered with 400, and the connection closed.
//
//	ReadHeaderTimeout  5 s   for the header
//	ReadTimeout       30 s   for header and body
//	WriteTimeout       5 m   from the end of the header to the end of the answer. The call lies in between: one that takes longer
//	                         is done, but its answer is lost, so raise this where work or waits are longer
//	IdleTimeout        1 m   between requests
//	MaxHeaderBytes    16 KiB
//
// It speaks HTTP/1.1 and HTTP/2, also in the clear to whoever begins so.
//
// How many connections there are is for the listener to limit. The caller may change the fields
// before it serves, and sets ErrorLog: without one net/http writes to standard error.
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
