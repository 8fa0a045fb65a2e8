package attack_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/strategies"
)

// resetting resets the connection after reading every tenth request. seen returns the number of
// requests read.
func resetting(t *testing.T, secure bool) (url string, seen func() int) {
	t.Helper()
	var mu sync.Mutex
	n := 0
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		mu.Lock()
		n++
		tenth := n%10 == 0
		mu.Unlock()
		if !tenth {
			return
		}
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = c.Close()
	}))
	if secure {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server.URL, func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

// A request must be sent once, and fails if its connection is reset. net/http may retry it, but
// must report the number of requests that the server received.
func TestResent(t *testing.T) {
	t.Parallel()
	asked := 100 // the server resets every tenth
	if testing.Short() {
		asked = 30
	}
	var cells []resent
	for _, way := range slices.Sorted(maps.Keys(ways(t))) {
		if way == "unlimited" { // the open loop needs a hundred handshakes
			continue
		}
		for _, request := range []attack.Request{
			{Method: "GET"}, {Method: "GET", Body: []byte("body")},
			{Method: "POST", Body: []byte("body")},
			{Method: "POST", Body: []byte("body"), Header: http.Header{"Idempotency-Key": {"1"}}},
		} {
			for _, secure := range []bool{false, true} {
				cells = append(cells, resent{way, request, secure, false},
					resent{way, request, secure, true})
			}
		}
	}
	for i, c := range cells {
		if testing.Short() && i%7 != 0 {
			continue
		}
		t.Run(fmt.Sprintf("%s/%s/%s/%v/%v/%v", c.way, c.request.Method, c.request.Body,
			c.request.Header != nil, c.secure, c.resend), func(t *testing.T) {
			t.Parallel()
			mayResend(t, c, asked)
		})
	}
}

type resent struct {
	way            string
	request        attack.Request
	secure, resend bool
}

func mayResend(t *testing.T, c resent, asked int) {
	url, seen := resetting(t, c.secure)
	a, request := ways(t)[c.way], c.request
	request.URL = url
	a.Requests, a.Tasks, a.Resend, a.Insecure, a.Drain = []attack.Request{request},
		asked, c.resend, true, time.Minute
	if a.Rate > 0 {
		a.Rate = 2000
	}
	if a.Strategy.Spec.Name != "" {
		a.Limit = 4
	}
	r, err := attack.Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	failed := int(metric(t, r, "failed/op")*float64(asked) + 0.5)
	resent := int(metric(t, r, "resent/op")*float64(asked) + 0.5)
	if got := seen(); got != asked+resent || metric(t, r, "attempts/op") != 1 {
		t.Error("the server saw", got, "and", resent,
			"were sent again in attempts:", metric(t, r, "attempts/op"))
	}
	if failed+resent != seen()/10 || !c.resend && resent != 0 {
		t.Error(failed, "failed", resent, "were sent again",
			"the server reset", seen()/10, r.Errors)
	}
	if slices.ContainsFunc(r.Reasons,
		func(r result.Reason) bool { return r.Check == "broken law" }) {
		t.Error(r.Reasons)
	}
}

// Each of two hosts must receive only its own requests.
func TestHosts(t *testing.T) {
	var seen [2]struct{ own, other atomic.Int64 }
	var requests []attack.Request
	for i := range seen {
		path := fmt.Sprintf("/%d", i)
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path == path &&
				r.Host == r.Context().Value(http.LocalAddrContextKey).(net.Addr).String() {
				seen[i].own.Add(1)
			} else {
				seen[i].other.Add(1)
			}
		}))
		defer server.Close()
		requests = append(requests, attack.Request{Method: "GET", URL: server.URL + path})
	}
	for way, a := range ways(t) {
		a.Requests, a.Tasks = requests, 10
		if _, err := attack.Run(t.Context(), a); err != nil {
			t.Fatal(way, err)
		}
		for i := range seen {
			if own, other := seen[i].own.Swap(0), seen[i].other.Swap(0); own != 5 || other != 0 {
				t.Errorf("%s: host %d got %d of its own 5 requests, and %d of the other's",
					way, i, own, other)
			}
		}
	}
}

// oneByOne runs each task within Submit, 2 ms after ready returns true.
type oneByOne struct {
	ready func() bool
	sink  strategies.Sink
}

func (o oneByOne) Submit(ctx context.Context, t *strategies.Task) error {
	for !o.ready() {
		runtime.Gosched()
	}
	// connections used within the last millisecond are not checked
	time.Sleep(2 * time.Millisecond)
	o.sink.Done(t, t.Run(ctx, t))
	return nil
}

func (oneByOne) Drain(context.Context) error { return nil }

// A server that closes idle connections must not cause failures. A request sent before the close
// may fail, so each request waits for it.
func TestIdle(t *testing.T) {
	var opened, closed, sent atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request) {
		sent.Add(1)
	}))
	server.Config.ConnState = func(c net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			opened.Add(1)
		case http.StateIdle: // the answer is sent
			_ = c.Close()
			closed.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	ready := func() bool { return closed.Load() == sent.Load() }
	spec := strategies.Spec{Name: "one_by_one",
		New: func(_ context.Context, _ strategies.Params,
			sink strategies.Sink) strategies.Strategy {
			return oneByOne{ready, sink}
		}}
	a := attack.Attack{Requests: []attack.Request{{Method: "GET", URL: server.URL}},
		Rate: 1000, Tasks: 10,
		Strategy: strategies.Variant{Spec: spec}, Limit: 1}
	r, err := attack.Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if n := metric(t, r, "failed/op"); n != 0 || opened.Load() != 10 {
		t.Errorf("%v failed, over %d connections: %v", n, opened.Load(), r.Errors)
	}
}
