//go:build unix

package attack_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/bench/attack"
)

// startServerProcess starts a server process. A server in this process would share the Go scheduler
// with the client.
func startServerProcess(b testing.TB, scheme string) (url string) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), servingVariable+"="+scheme)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	})
	if _, err := fmt.Fscan(out, &url); err != nil {
		b.Fatal(err)
	}
	return url
}

// BenchmarkPaced compares poolbench with vegeta's library against a server process. An op is 3 s of
// load. Lag counts from the due time, for vegeta from the schedule that its first request implies.
// cpu-% is the client's share of one processor. Use an idle machine:
//
//	go test -run ^$ -bench Paced -benchtime 1x -count 5 ./bench/attack
func BenchmarkPaced(b *testing.B) {
	const length = 3 * time.Second
	request := attack.Request{Method: http.MethodGet, URL: startServerProcess(b, "http")}
	for _, rate := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("rate=%d/by=vegeta", rate), func(b *testing.B) {
			var service, lag []int64
			used := cpu(b)
			for b.Loop() {
				var first time.Time
				attacker := vegeta.NewAttacker(vegeta.Workers(64),
					vegeta.MaxWorkers(64))
				for r := range attacker.Attack(vegeta.NewStaticTargeter(request),
					vegeta.Rate{Freq: rate, Per: time.Second}, length, "") {
					if r.Error != "" {
						b.Fatal(r.Error)
					}
					due := time.Duration(r.Seq) * time.Second / time.Duration(rate)
					if implied := r.Timestamp.Add(-due); first.IsZero() || implied.Before(first) {
						first = implied
					}
					service, lag = append(service, int64(r.Latency)),
						append(lag, int64(r.Timestamp.Add(-due).Sub(first)))
				}
			}
			b.ReportMetric(100*float64(cpu(b)-used)/float64(b.N)/float64(length), "cpu-%")
			b.ReportMetric(p99(service), "p99-service-µs")
			b.ReportMetric(p99(lag), "p99-lag-µs")
		})
		b.Run(fmt.Sprintf("rate=%d/by=poolbench", rate), func(b *testing.B) {
			var service, lag float64
			used := cpu(b)
			for b.Loop() {
				a := attack.Defaults()
				a.Requests, a.Rate, a.Duration = []attack.Request{request}, float64(rate), length
				r, err := attack.Run(b.Context(), a)
				if err != nil || len(r.Errors) > 0 {
					b.Fatal(err, r.Errors)
				}
				s, _ := r.Metric("p99-service-sec")
				l, _ := r.Metric("p99-lag-sec")
				service, lag = max(service, s), max(lag, l)
			}
			b.ReportMetric(100*float64(cpu(b)-used)/float64(b.N)/float64(length), "cpu-%")
			b.ReportMetric(1e6*service, "p99-service-µs")
			b.ReportMetric(1e6*lag, "p99-lag-µs")
		})
	}
}

func p99(ns []int64) (µs float64) {
	slices.Sort(ns)
	return float64(ns[len(ns)*99/100]) / 1e3
}
