//go:build unix

package requests

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestServe(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := clitest.Process(t, nil, "serve", "token_bucket:rate=0.001,burst=2", "--workload",
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
