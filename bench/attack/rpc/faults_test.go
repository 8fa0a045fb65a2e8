package rpc_test

import (
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"go.uber.org/goleak"
	"golang.org/x/net/http2"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/grpcdyn"
	target "github.com/poolbench/poolbench/targets/rpc"
)

func TestMain(m *testing.M) {
	if os.Getenv(besideVariable) != "" {
		if err := serveBeside(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func descriptors(t testing.TB) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "target.proto")
	if err := os.WriteFile(file, []byte(target.Proto), 0o666); err != nil {
		t.Fatal(err)
	}
	set, err := grpcdyn.ReadSet(file)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

type protocol struct {
	name             string
	grpc, plain, tls bool
	set              func(t *testing.T, a *attack.Attack, address string)
}

var protocols = []protocol{
	{"h2c", false, false, false, func(_ *testing.T, a *attack.Attack, address string) {
		a.H2C = true
		a.Requests = []attack.Request{{Method: "GET", URL: "http://" + address + "/x"}}
	}},
	{"h2c with a body", false, false, false, func(_ *testing.T, a *attack.Attack, address string) {
		a.H2C = true
		a.Requests = []attack.Request{{Method: "POST", URL: "http://" + address + "/x",
			Body: []byte("something")}}
	}},
	{"gRPC", true, false, false, func(t *testing.T, a *attack.Attack, address string) {
		a.Descriptors = descriptors(t)
		a.Requests = []attack.Request{{URL: "grpc://" + address + "/poolbench.v1.Target/Call",
			Body: []byte(`{"text": "x"}`)}}
	}},
	{"gRPC, streams", true, false, false, func(t *testing.T, a *attack.Attack, address string) {
		a.Descriptors = descriptors(t)
		a.Requests = []attack.Request{{URL: "grpc://" + address + "/poolbench.v1.Target/Stream"}}
	}},
	{"HTTP/2 over TLS", false, false, true, func(_ *testing.T, a *attack.Attack, address string) {
		a.HTTP2, a.Insecure = true, true
		a.Requests = []attack.Request{{Method: "POST", URL: "https://" + address + "/x",
			Body: []byte("something")}}
	}},
	{"gRPC over TLS", true, false, true, func(t *testing.T, a *attack.Attack, address string) {
		a.Descriptors, a.Insecure = descriptors(t), true
		a.Requests = []attack.Request{{URL: "grpcs://" + address + "/poolbench.v1.Target/Call",
			Body: []byte(`{"text": "x"}`)}}
	}},
	{"HTTP/1.1", false, true, false, func(_ *testing.T, a *attack.Attack, address string) {
		a.Requests = []attack.Request{{Method: "GET", URL: "http://" + address + "/x"}}
	}},
}

const (
	faultTasks = 64
	// one in faulty requests gets the fault; there are fewer clients, so no retry gets it
	faulty = 16
)

type fault struct {
	name    string
	do      func(s *stream)
	outcome func(p protocol) string // of the faulty request: completed or failed
	// the fault closes the connection and may fail later requests, which the server may not have
	// read
	spreads bool
	resends bool // the server reports the request as unprocessed
}

func always(outcome string) func(protocol) string {
	return func(protocol) string { return outcome }
}

var faults = []fault{
	{"nothing", (*stream).good, always("completed"), false, false},
	{"RST_STREAM", func(s *stream) { s.reset(http2.ErrCodeInternal) }, always("failed"), false,
		false},
	{"RST_STREAM in the body", func(s *stream) {
		s.begin()
		s.data(s.body(), false)
		s.reset(http2.ErrCodeInternal)
	}, always("failed"), false, false},
	{"REFUSED_STREAM", func(s *stream) { s.reset(http2.ErrCodeRefusedStream) }, always("failed"),
		false, true},
	{"GOAWAY in mid-flight", (*stream).goAway, always("completed"), true, true},
	{"the connection is reset", (*stream).cut, always("failed"), true, false},
	{"trailers", func(s *stream) {
		s.begin("trailer", "x-sum")
		s.data(s.body(), false)
		if s.of.grpc {
			s.end()
			return
		}
		s.forget()
		s.of.mu.Lock()
		s.of.answered++
		s.of.mu.Unlock()
		s.headers(true, "x-sum", "5")
	}, always("completed"), false, false},
	{"a slow body", (*stream).slowly, always("completed"), false, false},
	{"103 first", func(s *stream) {
		s.headers(false, ":status", "103", "link", "</x>")
		s.good()
	}, always("completed"), false, false},
	{"a body that never ends", (*stream).forEver, always("failed"), false, false},
	{"a gzip bomb", (*stream).bomb, func(p protocol) string {
		if p.grpc { // the client did not accept compression
			return "failed"
		}
		return "completed"
	}, false, false},
}

// Whatever a server does, it must receive each request once, and its counts must be reported.
func TestFaults(t *testing.T) {
	for i, p := range protocols {
		for j, f := range faults {
			for k, resend := range []bool{false, true} {
				endless := f.name == "a body that never ends"
				if testing.Short() && ((i+j+k)%2 != 0 || endless && i > 1) {
					continue
				}
				if p.plain && strings.ContainsFunc(f.name[:2], unicode.IsUpper) {
					continue // HTTP/1.1 has no such frame
				}
				t.Run(fmt.Sprintf("%s/%s/resend=%v", p.name, f.name, resend), func(t *testing.T) {
					t.Parallel()
					meet(t, p, f, resend)
				})
			}
		}
	}
}

func meet(t *testing.T, p protocol, f fault, resend bool) {
	met := 0
	h := newHostile(t, p, func(s *stream, n int) {
		if n%faulty != faulty-1 {
			s.good()
			return
		}
		s.of.mu.Lock()
		met++
		s.of.mu.Unlock()
		f.do(s)
	})
	a := attack.Attack{Clients: 6, Tasks: faultTasks, Connections: 2, Resend: resend,
		Timeout: time.Minute}
	if strings.Contains(f.name, "never ends") {
		a.Timeout = 4 * time.Second
	}
	if p.plain {
		a.Connections = 0 // a connection that hangs blocks its other requests
	}
	p.set(t, &a, h.address)
	r, err := attack.Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	count := func(unit string) int {
		v, ok := r.Metric(unit)
		if !ok {
			t.Errorf("no %s", unit)
		}
		return int(math.Round(v * float64(r.Tasks)))
	}
	completed := r.Tasks - count("failed/op") - count("throttled/op") - count("abandoned/op") -
		count("shed/op")
	resent, failed := count("resent/op"), count("failed/op")
	seen, answered := h.counts()
	said := 0
	for _, c := range append(r.Statuses, r.Errors...) {
		said += c.N
	}
	if r.Tasks != faultTasks || seen > faultTasks+resent ||
		!f.spreads && seen < faultTasks+resent || said != faultTasks ||
		len(r.Broken) > 0 || count("abandoned/op")+count("throttled/op") != 0 {
		t.Errorf("%d requests, the server saw %d, %d resent; %v %v %v", r.Tasks, seen, resent,
			r.Statuses, r.Errors, r.Broken)
	}
	// the server counts an answer that the client cannot decode
	if wrong := answered - completed; f.name != "a gzip bomb" && wrong != 0 ||
		wrong < 0 || completed+failed != faultTasks {
		t.Errorf("%d completed, %d answered, %d failed: %v %v", completed, answered, failed,
			r.Statuses, r.Errors)
	}
	if !f.spreads && !(f.resends && resend) {
		want := 0
		if f.outcome(p) == "failed" {
			want = met
		}
		if failed != want {
			t.Errorf("%d failed, want %d: %v", failed, want, r.Errors)
		}
	}
	if resend && f.resends && failed > 0 {
		t.Errorf("%d failed that the server had not begun: %v", failed, r.Errors)
	}
	// after a lost connection, idempotent requests are retried
	again := f.resends || (p.plain || p.name == "h2c") && f.spreads
	if !(resend && again) && resent > 0 {
		t.Errorf("%d were sent again", resent)
	}
	if p.plain {
		return
	}
	if strings.Contains(f.name, "GOAWAY") && count("goaways/op") == 0 ||
		strings.Contains(f.name, "STREAM") && count("resets/op") != met {
		t.Errorf("%d GOAWAYs, %d resets of %d", count("goaways/op"), count("resets/op"), met)
	}
	// the number of concurrent streams depends on timing; a reset may follow the next request
	if peak, _ := r.Metric("peak-streams"); peak < 1 || peak > 12 {
		t.Errorf("%v streams at once", peak)
	}
}

// While a server is down, requests must fail. Later ones must succeed over new connections.
func TestRestart(t *testing.T) {
	for i, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			if testing.Short() && i%2 != 0 {
				t.Skip("long: skipped with -short")
			}
			t.Parallel()
			var h *hostile
			h = newHostile(t, p, func(s *stream, n int) {
				if n != 20 {
					s.good()
					return
				}
				address := h.address
				h.stopAnswering()
				h.serving.Go(func() {
					h.settle()
					h.stop()
					time.Sleep(30 * time.Millisecond)
					h.start(t, address)
				})
			})
			a := attack.Attack{Rate: 500, Tasks: 1000, Connections: 2, Drain: time.Minute}
			p.set(t, &a, h.address)
			r, err := attack.Run(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			seen, answered := h.counts()
			statuses, errors := 0, 0
			for _, c := range r.Statuses {
				statuses += c.N
			}
			for _, c := range r.Errors {
				errors += c.N
			}
			if statuses != answered || statuses+errors != r.Tasks || seen > r.Tasks ||
				errors == 0 || answered < 40 || len(r.Broken) > 0 {
				t.Errorf("%d of %d answered, seen %d: %v %v %v", answered, r.Tasks, seen,
					r.Statuses, r.Errors, r.Broken)
			}
		})
	}
}

// unixSocket listens on a path short enough for any system.
func unixSocket(t *testing.T) (net.Listener, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "pb")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	return l, path
}
