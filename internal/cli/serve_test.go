//go:build unix

package cli

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/targets"
)

// TestServe: the URL it prints is served, what was done is counted, and both signals end it with
// exit code 0.
func TestServe(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := process(t, nil, "serve", "token_bucket:rate=0.001,burst=2", "--workload",
			"constant:mean=1ms")
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(stdout).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		url := strings.TrimSpace(line)
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		get := func(path string) (int, string, http.Header) {
			resp, err := client.Get(url + path)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			return resp.StatusCode, string(body), resp.Header
		}
		for i, want := range []int{200, 200, 429} {
			status, _, header := get("any//path")
			if status != want || (header.Get("Retry-After") != "") != (want == 429) ||
				header.Get("RateLimit") == "" {
				t.Errorf("request %d: %d, %v", i, status, header)
			}
		}
		_, metrics, _ := get("metrics")
		for _, want := range []string{
			"# TYPE poolbench_requests_total counter\npoolbench_requests_total{status=\"200\"} " +
				"2\npoolbench_requests_total{status=\"429\"} 1\n",
			"\npoolbench_in_flight_requests 0\n",
			"\npoolbench_target_admitted_calls_total 2\n",
			"\npoolbench_target_refused_calls_total 1\n",
		} {
			if !strings.Contains(metrics, want) {
				t.Errorf("metrics lack %q:\n%s", want, metrics)
			}
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v ends it with %v", signal, err)
		}
	}
}

// TestServeEndsWithHangers: clients that do not let go, and work that does not end by itself, do
// not keep the server.
func TestServeEndsWithHangers(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	busy := make(chan struct{})
	server := targets.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(busy)
		<-r.Context().Done()
	}))
	ctx, cancel := context.WithCancel(t.Context())
	var end sync.WaitGroup
	end.Go(func() {
		if err := serveUntil(ctx, server, listener, 20*time.Millisecond); err != nil {
			t.Error(err)
		}
	})
	for _, sent := range []string{"", "GET / HT", "GET / HTTP/1.1\r\nX: ", "\x16\x03\x01 garbage",
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n"} {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, sent); err != nil {
			t.Fatal(err)
		}
	}
	<-busy
	cancel()
	end.Wait()
}

func TestCheckAddress(t *testing.T) {
	for addr, ok := range map[string]bool{
		"127.0.0.1:0": true, "127.9.9.9:80": true, "[::1]:80": true, "localhost:80": true,
		":80": false, "0.0.0.0:80": false, "[::]:80": false, "192.168.1.1:80": false,
		"example.org:80": false, "127.0.0.1": false, "": false,
	} {
		if err := flags.CheckAddress(addr, false); (err == nil) != ok {
			t.Errorf("%q: %v", addr, err)
		}
	}
	if err := flags.CheckAddress("0.0.0.0:80", true); err != nil {
		t.Error(err)
	}
}
