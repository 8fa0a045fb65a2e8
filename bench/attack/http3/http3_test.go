package http3_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
	_ "github.com/poolbench/poolbench/bench/attack/http3"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server counts requests. Its field what answers request n, counted from 0.
type server struct {
	what           func(w http.ResponseWriter, r *http.Request, n int)
	seen, answered atomic.Int64
	mu             sync.Mutex
	under          *http3.Server
	socket         net.PacketConn
	serving        sync.WaitGroup
	tls            *tls.Config
	streams        int64 // maximum per connection; 0: quic-go's default
}

type connKey struct{}

func serve(t *testing.T, what func(http.ResponseWriter, *http.Request, int)) (*server, string) {
	t.Helper()
	s := &server{what: what, tls: tlsOfTests()}
	return s, s.begin(t)
}

func tlsOfTests() *tls.Config {
	lender := httptest.NewTLSServer(nil)
	lender.Close()
	return &tls.Config{Certificates: lender.TLS.Certificates}
}

func (s *server) begin(t *testing.T) (address string) {
	t.Helper()
	s.start(t, "127.0.0.1:0")
	t.Cleanup(s.stop)
	return s.socket.LocalAddr().String()
}

func (s *server) start(t *testing.T, address string) {
	socket, err := net.ListenPacket("udp", address)
	if err != nil {
		t.Error(err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.socket = socket
	config := &quic.Config{MaxIncomingStreams: s.streams}
	s.under = &http3.Server{QUICConfig: config, TLSConfig: http3.ConfigureTLSConfig(s.tls),
		ConnContext: func(ctx context.Context, c *quic.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		}, Handler: http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				s.what(w, r, int(s.seen.Add(1)-1))
				s.answered.Add(1)
			})}
	under := s.under
	s.serving.Go(func() { _ = under.Serve(socket) })
}

func (s *server) stop() {
	s.mu.Lock()
	_ = s.under.Close()
	_ = s.socket.Close()
	s.mu.Unlock()
	s.serving.Wait()
}

func sent(address string) attack.Attack {
	return attack.Attack{HTTP3: true, Insecure: true, Requests: []attack.Request{
		{Method: "POST", URL: "https://" + address + "/x", Body: []byte("something")},
		{Method: "GET", URL: "https://" + address + "/y"}}}
}

func run(t *testing.T, a attack.Attack) (r *attack.Report, count func(unit string) int) {
	t.Helper()
	r, err := attack.Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Broken) > 0 || r.Over != "HTTP/3" {
		t.Errorf("%v, over %q", r.Broken, r.Over)
	}
	return r, func(unit string) int {
		v, ok := r.Metric(unit)
		if !ok {
			t.Errorf("no %s", unit)
		}
		return int(math.Round(v * float64(r.Tasks)))
	}
}

const (
	tasks  = 64
	faulty = 16 // one in faulty requests gets the fault
)

func TestFaults(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(make([]byte, 10<<20))
	_ = z.Close()
	for name, c := range map[string]struct {
		fault  func(w http.ResponseWriter, r *http.Request)
		failed bool
	}{
		"nothing": {func(http.ResponseWriter, *http.Request) {}, false},
		"a reset": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, true},
		"a reset in the body": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "01")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, true},
		"trailers": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Trailer", "X-Sum")
			_, _ = io.WriteString(w, "01234")
			w.Header().Set("X-Sum", "5")
		}, false},
		"a slow body": {func(w http.ResponseWriter, _ *http.Request) {
			for range 5 {
				_, _ = io.WriteString(w, "x")
				w.(http.Flusher).Flush()
				time.Sleep(2 * time.Millisecond)
			}
		}, false},
		"103 first": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
		}, false},
		"a body that never ends": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, "x"); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				time.Sleep(time.Millisecond)
			}
		}, true},
		"a gzip bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(zipped.Bytes())
		}, false},
	} {
		for _, resend := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/resend=%v", name, resend), func(t *testing.T) {
				if testing.Short() && (resend != (len(name)%2 == 0) ||
					name == "a body that never ends") {
					t.Skip("long: skipped with -short")
				}
				t.Parallel()
				s, address := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
					if n%faulty == faulty-1 {
						c.fault(w, r)
					}
				})
				a := sent(address)
				a.Clients, a.Tasks, a.Connections, a.Resend = 6, tasks, 2, resend
				if a.Timeout = time.Minute; strings.Contains(name, "never ends") {
					a.Timeout = 10 * time.Second
				}
				r, count := run(t, a)
				want := 0
				if c.failed {
					want = tasks / faulty
				}
				if got := s.seen.Load(); got != tasks || count("failed/op") != want ||
					count("resent/op") != 0 || count("abandoned/op")+count("throttled/op") != 0 {
					t.Errorf("saw %d, failed %d of %d: %v %v", got, count("failed/op"), want,
						r.Statuses, r.Errors)
				}
				if strings.Contains(name, "reset") && count("resets/op") != want {
					t.Errorf("%d resets of %d", count("resets/op"), want)
				}
				if peak, _ := r.Metric("peak-streams"); peak < 1 || peak > 12 {
					t.Errorf("%v streams at once", peak)
				}
			})
		}
	}
}

// replaced returns a server that is stopped by end after 50 requests and then restarted.
func replaced(
	t *testing.T, end func(was *http3.Server, socket net.PacketConn),
) (s *server, address string) {
	s, address = serve(t, func(_ http.ResponseWriter, _ *http.Request, n int) {
		if n != 50 {
			return
		}
		s.mu.Lock()
		was, socket := s.under, s.socket
		s.mu.Unlock()
		s.serving.Go(func() { end(was, socket); s.start(t, address) })
	})
	return s, address
}

// When a server restarts, no request may be sent twice, and only given answers may be counted.
func TestGoAway(t *testing.T) {
	for _, shutdown := range []bool{true, false} {
		t.Run(fmt.Sprintf("shutdown=%v", shutdown), func(t *testing.T) {
			t.Parallel()
			s, address := replaced(t, func(was *http3.Server, socket net.PacketConn) {
				time.Sleep(20 * time.Millisecond) // time for answers to arrive
				if shutdown {
					ctx, cancel := context.WithTimeout(context.Background(), time.Second)
					defer cancel()
					_ = was.Shutdown(ctx)
				}
				_ = was.Close()
				_ = socket.Close()
				time.Sleep(30 * time.Millisecond)
			})
			a := sent(address)
			a.Rate, a.Tasks, a.Connections, a.Timeout = 500, 1000, 2, 2*time.Second
			a.Drain = time.Minute
			r, _ := run(t, a)
			statuses, errors := 0, 0
			for _, c := range r.Statuses {
				statuses += c.N
			}
			for _, c := range r.Errors {
				errors += c.N
			}
			seen, answered := int(s.seen.Load()), int(s.answered.Load())
			if statuses > answered || statuses+errors != a.Tasks || seen > a.Tasks ||
				statuses < 60 {
				t.Errorf("%d answered, %d seen; %v %v", answered, seen, r.Statuses, r.Errors)
			}
		})
	}
}

// Requests that wait for a killed server time out. Once it is restarted, later requests must
// succeed.
func TestKilled(t *testing.T) {
	t.Parallel()
	s, address := replaced(t, func(was *http3.Server, socket net.PacketConn) {
		_ = socket.Close() // before the server can announce its end
		_ = was.Close()
	})
	a := sent(address)
	a.Rate, a.Tasks, a.Timeout = 100, 250, 500*time.Millisecond
	_, count := run(t, a)
	if seen := s.seen.Load(); seen < 100 || count("failed/op") == 0 {
		t.Errorf("seen %d, failed %d: want 100 seen at least, and some that failed", seen,
			count("failed/op"))
	}
}

// The error must name UDP. Requests that wait for the same connection report an unfinished dial.
func TestNobody(t *testing.T) {
	t.Parallel()
	a := sent("127.0.0.1:9") // discard
	a.Rate, a.Tasks, a.Timeout = 100, 2, 100*time.Millisecond
	r, _ := run(t, a)
	udp := 0
	for _, e := range r.Errors {
		switch {
		case strings.HasPrefix(e.What, "dial udp 127.0.0.1:9: "):
			udp++
		case e.What != "dial not finished: context deadline exceeded":
			t.Error(e.What)
		}
	}
	if udp == 0 {
		t.Error(r.Errors)
	}
}

func TestLikeHTTP(t *testing.T) {
	s, address := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if r.URL.Path == "/from" {
			http.Redirect(w, r, "/to?"+r.URL.RawQuery, http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, r.Proto+" "+r.URL.RawQuery)
		time.Sleep(time.Millisecond)
	})
	a := sent(address)
	a.Requests = []attack.Request{{Method: "GET", URL: "https://" + address + "/from?{{seq}}"}}
	a.Templates, a.Redirects, a.Clients, a.Tasks, a.Connections = true, 2, 12, 40, 3
	for _, text := range []string{"status == 200", `body ~ "^HTTP/3.0 [0-9]+$"`} {
		c, err := checks.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		a.Checks = append(a.Checks, c)
	}
	r, count := run(t, a)
	if s.seen.Load() != 80 || count("failed/op") != 0 || count("connections/op") != 3 {
		t.Errorf("saw %d; %v %v", s.seen.Load(), r.Statuses, r.Errors)
	}
	for want, wrong := range map[string]attack.Attack{
		"http3: it needs TLS, and http://h/ is without TLS": {HTTP3: true,
			Requests: []attack.Request{{Method: "GET", URL: "http://h/"}}},
		"http3: it uses UDP": {HTTP3: true, H2C: true,
			Requests: []attack.Request{{Method: "GET", URL: "https://h/"}}},
		"HTTP/3 have no headers for connections": {HTTP3: true, Requests: []attack.Request{{Method: "GET",
			URL: "https://h/", Header: http.Header{"Connection": {"close"}}}}},
	} {
		wrong.Tasks = 1
		if err := wrong.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestSaid(t *testing.T) {
	t.Parallel()
	_, address := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = fmt.Fprintf(w, "no room for %d", n)
	})
	a := sent(address)
	a.Rate, a.Tasks = 500, 8
	r, _ := run(t, a)
	if len(r.Failures) != 1 || r.Failures[0].What != "status 503" ||
		len(r.Failures[0].Bodies) != checks.MaxBodies ||
		!strings.HasPrefix(r.Failures[0].Bodies[0].Text, "no room for ") {
		t.Errorf("kept are %v", r.Failures)
	}
}

// The server closes the connection at every tenth request, before the answer. Idempotent requests
// must be retried once, unless retries are off.
func TestLost(t *testing.T) {
	const lost = 4
	for method, repeatable := range map[string]bool{"GET": true, "POST": false} {
		for _, resend := range []bool{false, true} {
			_, address := serve(t, func(_ http.ResponseWriter, r *http.Request, n int) {
				if n%10 == 9 {
					_ = r.Context().Value(connKey{}).(*quic.Conn).CloseWithError(
						quic.ApplicationErrorCode(http3.ErrCodeNoError), "")
				}
			})
			a := sent(address)
			a.Requests = []attack.Request{{Method: method, URL: "https://" + address + "/"}}
			a.Clients, a.Tasks, a.Resend = 1, 45, resend
			r, count := run(t, a)
			failed, resent := lost, 0
			if resend && repeatable {
				failed, resent = 0, lost
			}
			if count("failed/op") != failed || count("resent/op") != resent {
				t.Errorf("%s, resend %v: %d failed, %d resent: %v", method, resend,
					count("failed/op"), count("resent/op"), r.Errors)
			}
		}
	}
}

// If the server allows too few streams per connection, the attack must open more connections. With
// a fixed number of connections, requests wait. The handler answers once all requests that can be
// in flight together have arrived.
func TestServerLimit(t *testing.T) {
	const clients = 12
	for name, c := range map[string]struct {
		allowed, streams, connections, atOnce, opened int
	}{
		"5 of the server":          {5, 0, 0, clients, 3},
		"1 of the server":          {1, 0, 0, clients, clients},
		"4 of the user":            {5, 4, 0, clients, 3},
		"enough":                   {50, 0, 0, clients, 1},
		"a connection of the user": {5, 0, 1, 5, 1},
	} {
		t.Run(name, func(t *testing.T) {
			all := make(chan struct{})
			s := &server{tls: tlsOfTests(), streams: int64(c.allowed)}
			s.what = func(_ http.ResponseWriter, _ *http.Request, n int) {
				if n == c.atOnce-1 {
					close(all)
				}
				<-all
			}
			a := sent(s.begin(t))
			a.Clients, a.Tasks, a.Streams, a.Connections = clients, clients, c.streams, c.connections
			r, count := run(t, a)
			if len(r.Errors) > 0 {
				t.Errorf("%v", r.Errors)
			}
			if v, _ := r.Metric("server-streams"); v != float64(c.allowed) {
				t.Errorf("the server allows %v", v)
			}
			if n := count("connections/op"); n != c.opened {
				t.Errorf("%d connections, want %d", n, c.opened)
			}
		})
	}
}
