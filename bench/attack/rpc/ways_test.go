package rpc_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/targets/rpc"
)

type through struct{ calls *atomic.Int64 }

func (t through) Call(
	ctx context.Context, seq uint64, work func(context.Context, uint64) error,
) error {
	t.calls.Add(1)
	return work(ctx, seq)
}

// served counts requests by protocol and connection.
type served struct {
	*httptest.Server
	mu               sync.Mutex
	protocols, peers map[string]int
	calls            atomic.Int64 // gRPC calls
	header           http.Header  // of the last request
}

func serve(t testing.TB, start func(*httptest.Server)) *served {
	s := &served{protocols: map[string]int{}, peers: map[string]int{}}
	remote := rpc.Handler(through{&s.calls}, func(context.Context, uint64) error { return nil })
	server := targets.NewServer(nil)
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
				remote.ServeHTTP(w, r)
				return
			}
			time.Sleep(time.Millisecond) // so requests overlap
			s.mu.Lock()
			s.protocols[r.Proto]++
			s.peers[r.RemoteAddr]++
			s.header = r.Header.Clone()
			s.mu.Unlock()
			if r.URL.Path == "/twice" {
				http.Redirect(w, r, "/once", http.StatusFound)
			}
		}))
	s.Config.Protocols = server.Protocols
	s.EnableHTTP2 = true
	start(s.Server)
	t.Cleanup(s.Close)
	return s
}

func send(t *testing.T, a attack.Attack) *attack.Report {
	t.Helper()
	r, err := attack.Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if failed, _ := r.Metric("failed/op"); failed != 0 || len(r.Broken) > 0 {
		t.Errorf("%v %v %v", r.Statuses, r.Errors, r.Broken)
	}
	return r
}

// Redirects must use the same protocol and connections, too.
func TestWays(t *testing.T) {
	plain := serve(t, (*httptest.Server).Start)
	secure := serve(t, (*httptest.Server).StartTLS)
	for name, c := range map[string]struct {
		a       attack.Attack
		at      *served
		path    string
		spoken  string
		asked   int // HTTP requests, including redirects
		over    string
		streams bool
	}{
		"h2c": {attack.Attack{H2C: true, Connections: 3, Streams: 4}, plain, "/", "HTTP/2.0", 40,
			"HTTP/2 in the clear", true},
		"h2c, any number": {attack.Attack{H2C: true, Streams: 4}, plain, "/", "HTTP/2.0", 40,
			"HTTP/2 in the clear", true},
		"h2c, redirected": {attack.Attack{H2C: true, Connections: 3, Streams: 4, Redirects: 2},
			plain, "/twice", "HTTP/2.0", 80, "HTTP/2 in the clear", true},
		"http2": {attack.Attack{HTTP2: true, Connections: 3, Streams: 4, Insecure: true}, secure,
			"/", "HTTP/2.0", 40, "HTTP/2 over TLS 1.3", true},
		"HTTP/1.1": {attack.Attack{}, plain, "/", "HTTP/1.1", 40, "", false},
	} {
		a := c.a
		a.Clients, a.Tasks = 12, 40
		a.Requests = []attack.Request{{Method: "GET", URL: c.at.URL + c.path}}
		r := send(t, a)
		c.at.mu.Lock()
		peers := len(c.at.peers)
		if c.at.protocols[c.spoken] != c.asked || len(c.at.protocols) != 1 || r.Over != c.over {
			t.Errorf("%s: %v, over %q", name, c.at.protocols, r.Over)
		}
		if c.streams && peers != 3 {
			t.Errorf("%s: %d connections", name, peers)
		}
		clear(c.at.protocols)
		clear(c.at.peers)
		c.at.mu.Unlock()
		if _, ok := r.Metric("peak-streams"); ok != c.streams {
			t.Errorf("%s: peak-streams %v", name, ok)
		}
	}
}

func TestCallsOverAll(t *testing.T) {
	for _, start := range []func(*httptest.Server){(*httptest.Server).Start,
		(*httptest.Server).StartTLS} {
		s := serve(t, start)
		a := attack.Attack{Clients: 3, Tasks: 30, Insecure: true, Requests: []attack.Request{
			{URL: strings.Replace(s.URL, "http", "grpc", 1) + "/poolbench.v1.Target/Call",
				Header: http.Header{"Authorization": {"Bearer secret"}, "X-Some-Bin": {"AQI="}}},
			{URL: strings.Replace(s.URL, "http", "grpc", 1) + "/poolbench.v1.Target/Stream",
				Body: []byte(`{"text": "hello", "answers": 5}`)}}}
		r := send(t, a)
		if s.calls.Load() != 30 || len(r.Statuses) != 1 || r.Statuses[0] != (attack.Count{
			What: "OK", N: 30}) {
			t.Errorf("%d calls, %v", s.calls.Load(), r.Statuses)
		}
		if got, _ := r.Metric("received-B/op"); got != (15*(7+4*9))/30. {
			t.Errorf("%v bytes a request", got)
		}
	}
}

func TestUnixSocket(t *testing.T) {
	var path string
	s := serve(t, func(server *httptest.Server) {
		server.Listener.Close()
		server.Listener, path = unixSocket(t)
		server.Start()
	})
	for _, a := range []attack.Attack{
		{Requests: []attack.Request{{Method: "GET", URL: "http://nowhere.test/"}}},
		{Requests: []attack.Request{{Method: "GET", URL: "http://nowhere.test/"}}, H2C: true},
		{Requests: []attack.Request{{URL: "grpc://nowhere.test/poolbench.v1.Target/Call"}}},
	} {
		for _, clients := range []int{0, 4} {
			a.UnixSocket, a.Tasks, a.Clients = path, 20, clients
			r := send(t, a)
			if r.Statuses[0].N != 20 {
				t.Errorf("%v", r.Statuses)
			}
		}
	}
	if s.protocols["HTTP/1.1"] != 40 || s.protocols["HTTP/2.0"] != 40 || s.calls.Load() != 40 {
		t.Errorf("%v, %d calls", s.protocols, s.calls.Load())
	}
}

func TestCodes(t *testing.T) {
	var n atomic.Int64
	h := newHostile(t, protocols[2], func(s *stream, _ int) {
		code := []string{"0", "8", "14", "5", "4", "99"}[n.Add(1)%6]
		if code == "0" {
			s.good()
			return
		}
		s.forget()
		s.headers(true, ":status", "200", "content-type", "application/grpc", "grpc-status", code)
	})
	a := attack.Attack{Rate: 1000, Tasks: 60, Timeout: time.Second}
	protocols[2].set(t, &a, h.address)
	r, err := attack.Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []attack.Count{{What: "OK", N: 10}, {What: "RESOURCE_EXHAUSTED", N: 10},
		{What: "UNAVAILABLE", N: 10}, {What: "NOT_FOUND", N: 10},
		{What: "DEADLINE_EXCEEDED", N: 10}, {What: "code 99", N: 10}} {
		found := false
		for _, c := range r.Statuses {
			found = found || c == want
		}
		if !found {
			t.Errorf("no %v: %v", want, r.Statuses)
		}
	}
	throttled, _ := r.Metric("throttled/op")
	failed, _ := r.Metric("failed/op")
	if throttled != 20./60 || failed != 0.5 || len(r.Errors) > 0 {
		t.Errorf("throttled %v, failed %v, %v", throttled, failed, r.Errors)
	}
}

// Checks must see the metadata and message of the answer.
func TestChecks(t *testing.T) {
	s := serve(t, (*httptest.Server).Start)
	for _, method := range []string{"Call", "Stream"} {
		a := attack.Attack{Clients: 2, Tasks: 20, Templates: true, Requests: []attack.Request{{
			URL:  strings.Replace(s.URL, "http", "grpc", 1) + "/poolbench.v1.Target/" + method,
			Body: []byte(`{"text": "a{{seq}}", "answers": {{random 1 9}}}`)}}}
		for _, text := range []string{"body contains \"a\"",
			"header content-type ~ grpc"} {
			c, err := checks.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			a.Checks = append(a.Checks, c)
		}
		send(t, a)
		never, err := checks.Parse("body contains zzz")
		if err != nil {
			t.Fatal(err)
		}
		a.Checks = append(a.Checks, never)
		r, err := attack.Run(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		if failed, _ := r.Metric("failed/op"); failed != 1 {
			t.Errorf("%v failed: %v %v", failed, r.Statuses, r.Errors)
		}
	}
	if s.calls.Load() != 80 {
		t.Errorf("%d calls", s.calls.Load())
	}
}

// Mistakes must be reported before anything is sent.
func TestMistakes(t *testing.T) {
	call := "grpc://h/poolbench.v1.Target/Call"
	set := descriptors(t)
	for want, a := range map[string]attack.Attack{
		"streams: want http2, h2c, http3 or gRPC": {Streams: 2},
		"http2 and h2c exclude each other":        {HTTP2: true, H2C: true},
		"h2c: it is without TLS, and https://h/ needs TLS": {H2C: true,
			Requests: []attack.Request{{URL: "https://h/"}}},
		"http2: it needs TLS, and http://h/ is without TLS": {HTTP2: true},
		"header connection: HTTP/2 and HTTP/3 have no headers for connections": {H2C: true, Requests: []attack.Request{
			{URL: "http://h/", Header: http.Header{"connection": {"close"}}}}},
		"http2, h2c: gRPC always uses HTTP/2": {H2C: true,
			Requests: []attack.Request{{URL: call}}},
		"proto: only gRPC uses it": {Descriptors: []byte{1}},
		"redirects: gRPC has no redirects": {Redirects: 3,
			Requests: []attack.Request{{URL: call}}},
		"http://h/: the first request uses another": {Requests: []attack.Request{{URL: call},
			{URL: "http://h/"}}},
		"all requests must go to one host": {Requests: []attack.Request{{URL: call},
			{URL: "grpc://i/poolbench.v1.Target/Call"}}},
		"want /package.Service/Method":               {Requests: []attack.Request{{URL: "grpc://h/Call"}}},
		"a method of gRPC has no query":              {Requests: []attack.Request{{URL: call + "?a=b"}}},
		"method PUT: gRPC does not use HTTP methods": {Requests: []attack.Request{{URL: call, Method: "PUT"}}},
		"header Grpc-Timeout: gRPC sets it itself": {Requests: []attack.Request{{URL: call,
			Header: http.Header{"Grpc-Timeout": {"1S"}}}}},
		"header X-Bin: want base64": {Requests: []attack.Request{{URL: call,
			Header: http.Header{"X-Bin": {"!"}}}}},
		"proto: this is no set of descriptors": {Descriptors: []byte("x"),
			Requests: []attack.Request{{URL: call}}},
		"service poolbench.v1.Target has no method Cal (it has: Call, Stream)": {Descriptors: set,
			Requests: []attack.Request{{URL: strings.TrimSuffix(call, "l")}}},
		"there is no service a.B (known: poolbench.v1.Target)": {Descriptors: set,
			Requests: []attack.Request{{URL: "grpc://h/a.B/C"}}},
		"body: no JSON of a poolbench.v1.Request: (line 1:2): unknown field": {Descriptors: set,
			Requests: []attack.Request{{URL: call, Body: []byte(`{"tekst": 1}`)}}},
		"want http://…, https://…, grpc://… or grpcs://…": {
			Requests: []attack.Request{{URL: "ftp://h/"}}},
	} {
		a.Tasks = 1
		if a.Requests == nil {
			a.Requests = []attack.Request{{URL: "http://h/"}}
		}
		if _, err := attack.Run(t.Context(), a); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Two agents must send each request once, after encoding and decoding attack and shares.
func TestAgents(t *testing.T) {
	s := serve(t, (*httptest.Server).Start)
	for _, a := range []attack.Attack{
		{H2C: true, Streams: 5, Requests: []attack.Request{{Method: "GET", URL: s.URL}}},
		{Requests: []attack.Request{{URL: strings.Replace(s.URL, "http", "grpc", 1) +
			"/poolbench.v1.Target/Call"}}, Descriptors: descriptors(t)},
	} {
		a.Rate, a.Tasks, a.Agents = 500, 50, 2
		var agents []attack.Agent
		for k := range 2 {
			a.Agent = k
			w, err := a.Encode().Attack()
			if err != nil {
				t.Fatal(err)
			}
			share, err := attack.RunShare(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			encoded, err := share.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			read := new(attack.Share)
			if err := read.UnmarshalBinary(encoded); err != nil {
				t.Fatal(err)
			}
			agents = append(agents, attack.Agent{Name: "a", Share: read})
		}
		r, err := a.Merge(agents, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Tasks != 50 || len(r.Statuses) != 1 || r.Statuses[0].N != 50 {
			t.Errorf("%d requests, %v", r.Tasks, r.Statuses)
		}
		if v, ok := r.Metric("goaways/op"); !ok || v != 0 {
			t.Errorf("goaways/op %v %v", v, ok)
		}
	}
	if s.protocols["HTTP/2.0"] != 50 || s.calls.Load() != 50 {
		t.Errorf("%v, %d calls", s.protocols, s.calls.Load())
	}
}

func TestNoSecrets(t *testing.T) {
	h := newHostile(t, protocols[2], func(s *stream, _ int) { s.cut() })
	a := attack.Attack{Clients: 1, Tasks: 3, Timeout: time.Second}
	protocols[2].set(t, &a, h.address)
	a.Requests[0].URL = strings.Replace(a.Requests[0].URL, "//", "//user:secret@", 1)
	a.Requests[0].Header = http.Header{"X-Token": {"secret"}}
	var vegeta strings.Builder
	a.Vegeta = io.Writer(&vegeta)
	r, err := attack.Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Errors {
		if strings.Contains(c.What, "secret") {
			t.Error(c.What)
		}
	}
	if strings.Contains(vegeta.String(), "secret") || strings.Contains(r.Name, "secret") {
		t.Error(r.Name)
	}
}
