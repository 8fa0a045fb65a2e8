package attack

import (
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/poolbench/poolbench/internal/once"
)

// A sender is a transport that counts what goes over the wire, and sends each request once unless
// it may do so again.
type sender struct {
	*http.Transport
	resend bool
	resent *atomic.Int64
}

// A sending counts how often one request is written to a connection. Its hook may be called by any
// goroutine, and after the answer.
type sending struct {
	written atomic.Int32
	resent  *atomic.Int64
	trace   httptrace.ClientTrace
}

func (s *sending) wrote(info httptrace.WroteRequestInfo) {
	if info.Err == nil && s.written.Add(1) > 1 {
		s.resent.Add(1)
	}
}

// RoundTrip implements http.RoundTripper.
func (s *sender) RoundTrip(r *http.Request) (*http.Response, error) {
	count := &sending{resent: s.resent}
	count.trace.WroteRequest = count.wrote
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &count.trace))
	if !s.resend {
		once.Send(r)
	}
	resp, err := s.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		// what looks like its body is the connection, on which no timeout counts any more
		if err := resp.Body.Close(); err != nil {
			return nil, err
		}
		resp.Body = http.NoBody
	}
	return resp, nil
}
