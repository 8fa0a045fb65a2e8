package rpc_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/metric"
)

// answers is the log of a server with known answers: of the requests in order of arrival, each
// 100th takes 300 ms, each 10th has status 503, and each 50th is reset.
type answers struct {
	grpc     bool
	mu       sync.Mutex
	asked    int
	statuses map[string]int
	resets   int
	bytes    int // of all bodies
}

const slowAnswer = 300 * time.Millisecond

func (s *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked++
	i, status, body := s.asked, http.StatusOK, bytes.Repeat([]byte("x"), 100+s.asked%300)
	switch {
	case i%50 == 25:
		s.resets++
		s.mu.Unlock()
		panic(http.ErrAbortHandler)
	case i%10 == 5:
		status = http.StatusServiceUnavailable
	}
	if s.grpc {
		body = append([]byte{0x7a, byte(i % 100)}, body[:i%100]...) // an unknown field
	}
	s.statuses[s.name(status)]++
	s.bytes += len(body)
	s.mu.Unlock()
	if i%100 == 0 {
		time.Sleep(slowAnswer)
	}
	if s.grpc {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status")
		_, _ = w.Write(append([]byte{0, 0, 0, 0, byte(len(body))}, body...))
		w.Header().Set("Grpc-Status", map[int]string{200: "0", 503: "14"}[status])
		return
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func (s *answers) name(status int) string {
	if s.grpc {
		return map[int]string{200: "OK", 503: "UNAVAILABLE"}[status]
	}
	return fmt.Sprint(status)
}

// serve starts the server, with HTTP/3 only if the attack uses it, and returns its address.
func (s *answers) serve(t *testing.T, a attack.Attack) (address string) {
	server := httptest.NewUnstartedServer(s)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetHTTP2(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.EnableHTTP2 = true
	if a.Insecure {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	if a.HTTP3 {
		return serveHTTP3(t, &tls.Config{Certificates: server.TLS.Certificates}, s)
	}
	return server.Listener.Addr().String()
}

// The counts, bytes and the p99 of an attack must be those of the server's log.
func TestKnownAnswers(t *testing.T) {
	const call = "grpc://%s/poolbench.v1.Target/Call"
	for name, c := range map[string]struct {
		a   attack.Attack
		url string
	}{
		"HTTP/1.1":        {attack.Attack{}, "http://%s/"},
		"HTTPS":           {attack.Attack{Insecure: true}, "https://%s/"},
		"h2c":             {attack.Attack{H2C: true, Streams: 8}, "http://%s/"},
		"HTTP/2 over TLS": {attack.Attack{HTTP2: true, Streams: 8, Insecure: true}, "https://%s/"},
		"HTTP/3":          {attack.Attack{HTTP3: true, Insecure: true}, "https://%s/"},
		"gRPC":            {attack.Attack{Descriptors: descriptors(t)}, call},
	} {
		for mode, load := range map[string]func(a *attack.Attack){
			"closed": func(a *attack.Attack) { a.Clients = 16 },
			"open":   func(a *attack.Attack) { a.Rate = 1000 },
			"soak":   func(a *attack.Attack) { a.Rate, a.Soak = 1000, true },
		} {
			if testing.Short() && (mode != "closed" || c.a.Insecure && !c.a.HTTP3) {
				continue
			}
			t.Run(name+" "+mode, func(t *testing.T) {
				a, log := c.a, &answers{grpc: c.url == call, statuses: map[string]int{}}
				load(&a)
				a.Tasks = 1000
				// a POST is not sent again after a reset
				a.Requests = []attack.Request{{Method: "POST", Body: []byte("x"),
					URL: fmt.Sprintf(c.url, log.serve(t, a))}}
				if log.grpc {
					a.Requests[0].Method, a.Requests[0].Body = "", []byte(`{"text": "x"}`)
				}
				r, err := attack.Run(t.Context(), a)
				if err != nil {
					t.Fatal(err)
				}
				log.check(t, r)
			})
		}
	}
}

func (s *answers) check(t *testing.T, r *attack.Report) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	statuses, failed := map[string]int{}, 0
	for _, status := range r.Statuses {
		statuses[status.What] = status.N
	}
	for _, e := range r.Errors {
		failed += e.N
	}
	perRequest, _ := r.Metric(metric.ReceivedBytes)
	received := int(math.Round(perRequest * float64(r.Tasks)))
	p99, _ := r.Metric("p99-response-sec")
	if s.asked != r.Tasks || !maps.Equal(statuses, s.statuses) || failed != s.resets ||
		received != s.bytes || p99 < slowAnswer.Seconds() {
		t.Errorf("statuses %v, %d errors, %d bytes, p99 %v s; the server has %d requests, %v, "+
			"%d resets, %d bytes", statuses, failed, received, p99, s.asked, s.statuses,
			s.resets, s.bytes)
	}
}
