package requests

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestAttackStages(t *testing.T) {
	t.Chdir(t.TempDir())
	var received atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		received.Add(1)
	}))
	defer server.Close()
	o := clitest.Attacked(t, "attack", server.URL, "--stages", "1s:0..400, 500ms:0,500ms:100",
		"--name", "x", "--quiet", "--out", "x")
	if got := received.Load(); got != 250 {
		t.Errorf("the server received %d requests, want 200 and 50", got)
	}
	for _, line := range []string{"0s to 1s: 0..400 /s  ", "1s to 1.5s: 0 /s  ",
		"1.5s to 2s: 100 /s  "} {
		if !strings.Contains(o.Stdout, "\n  "+line) {
			t.Errorf("no line %q in\n%s", line, o.Stdout)
		}
	}
	results := clitest.Read(t, "x/results.txt")
	for _, metric := range []string{"200 stage1-offered-ops", "100 stage3-offered-ops",
		"stage1-p50-response-sec", "stage1-p95-response-sec"} {
		if !strings.Contains(results, metric) {
			t.Errorf("results.txt has no %s", metric)
		}
	}
	if !strings.Contains(clitest.Read(t, "x/report.html"), "By stage") {
		t.Error("the page has no stages")
	}
	for _, c := range []struct{ with, want string }{
		{"--rate=5", "--stages: not with --rate: stages have their own rates and durations"},
		{"--duration=5s", "--stages: not with --duration: stages have their own rates and durations"},
		{"--clients=5", "--stages: not with --clients: stages have their own rates and durations; for stages " +
			"of clients, give --clients '30s:0..200, 2m:200'"},
		{"--n=5", "--stages: not with --n: stages have their own rates and durations"},
		{"--agents=2", "--stages: not with --agents: results by stage are not merged"},
		{"--stages=5", `--stages: want stages such as 30s:0..200, 2m:200; got "5"`},
		{"--arrival=closed", "--stages: arrival closed accepts no rate, so it cannot have stages"},
	} {
		o := clitest.Command(t, "attack", server.URL, "--stages", "1s:5", c.with)
		if o.Code != 2 || o.Stderr != "poolbench: "+c.want+"\n" {
			t.Errorf("%s: %+v, want %q", c.with, o, c.want)
		}
	}
}

func TestAttackClientStages(t *testing.T) {
	t.Chdir(t.TempDir())
	var inFlight, most atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		n := inFlight.Add(1)
		for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
		}
		time.Sleep(5 * time.Millisecond)
		inFlight.Add(-1)
	}))
	defer server.Close()
	o := clitest.Attacked(t, "attack", server.URL, "--clients", "300ms:0..3, 300ms:3, 200ms:0",
		"--quiet", "--out", "x")
	if n := most.Load(); n != 3 {
		t.Errorf("%d requests in flight, want 3", n)
	}
	for _, line := range []string{"0s to 300ms: 0..3 clients  ", "300ms to 600ms: 3 clients  ",
		"600ms to 800ms: 0 clients  "} {
		if !strings.Contains(o.Stdout, "\n  "+line) {
			t.Errorf("no line %q in\n%s", line, o.Stdout)
		}
	}
	if results := clitest.Read(t, "x/results.txt"); !strings.Contains(results,
		"stage2-p95-response-sec") {
		t.Errorf("results.txt has no stages:\n%s", results)
	}
	for _, c := range []struct{ with, want string }{
		{"--n=5", "--clients: stages are not possible with --n"},
		{"--duration=5s", "--clients: stages are not possible with --duration"},
		{"--agents=2", "--clients: stages are not possible with --agents"},
		{"--rate=2", "--clients set the pace, so there is no rate"},
		{"--clients=1s:x", `--clients: want stages such as 30s:0..200, 2m:200; got "1s:x"`},
		{"--clients=1s:0..2.5", "--clients: 0..2.5: want whole numbers of clients"},
	} {
		o := clitest.Command(t, "attack", server.URL, "--clients", "1s:5", c.with)
		if o.Code != 2 || o.Stderr != "poolbench: "+c.want+"\n" {
			t.Errorf("%s: %+v, want %q", c.with, o, c.want)
		}
	}
}
