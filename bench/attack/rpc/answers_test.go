package rpc_test

import (
	"bytes"
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

// The counts, bytes and the p99 of an attack must be those of the server's log.
func TestKnownAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		a         attack.Attack
		tls, grpc bool
	}{
		"HTTP/1.1":      {attack.Attack{}, false, false},
		"HTTPS/1.1":     {attack.Attack{Insecure: true}, true, false},
		"h2c":           {attack.Attack{H2C: true, Streams: 8}, false, false},
		"HTTP/2 by TLS": {attack.Attack{HTTP2: true, Streams: 8, Insecure: true}, true, false},
		"gRPC":          {attack.Attack{}, false, true},
	} {
		for mode, load := range map[string]func(a *attack.Attack){
			"closed": func(a *attack.Attack) { a.Clients = 16 },
			"open":   func(a *attack.Attack) { a.Rate = 1000 },
			"soak":   func(a *attack.Attack) { a.Rate, a.Soak = 1000, true },
		} {
			if testing.Short() && (mode != "closed" || c.tls) {
				continue
			}
			t.Run(name+" "+mode, func(t *testing.T) {
				log := &answers{grpc: c.grpc, statuses: map[string]int{}}
				server := httptest.NewUnstartedServer(log)
				server.Config.Protocols = new(http.Protocols)
				server.Config.Protocols.SetHTTP1(true)
				server.Config.Protocols.SetHTTP2(true)
				server.Config.Protocols.SetUnencryptedHTTP2(true)
				server.EnableHTTP2 = true
				if c.tls {
					server.StartTLS()
				} else {
					server.Start()
				}
				defer server.Close()
				a := c.a
				load(&a)
				a.Tasks = 1000
				a.Requests = []attack.Request{{Method: "POST", URL: server.URL, Body: []byte("x")}}
				if c.grpc {
					protocols[2].set(t, &a, server.Listener.Addr().String())
				}
				r, err := attack.Run(t.Context(), a)
				if err != nil {
					t.Fatal(err)
				}
				statuses, failed := map[string]int{}, 0
				for _, s := range r.Statuses {
					statuses[s.What] = s.N
				}
				for _, e := range r.Errors {
					failed += e.N
				}
				received, _ := r.Metric("received-B/op")
				p99, _ := r.Metric("p99-response-sec")
				if log.asked != a.Tasks || !maps.Equal(statuses, log.statuses) ||
					failed != log.resets || math.Round(received*float64(a.Tasks)) != float64(log.bytes) ||
					p99 < slowAnswer.Seconds() {
					t.Errorf("statuses %v, %d errors, %v bytes, p99 %v s; the server has %d "+
						"requests, %v, %d resets, %d bytes", statuses, failed, received, p99,
						log.asked, log.statuses, log.resets, log.bytes)
				}
			})
		}
	}
}
