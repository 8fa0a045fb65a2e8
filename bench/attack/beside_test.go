//go:build unix

package attack_test

import (
	"crypto/tls"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/bench/attack"
)

const besideLength = 3 * time.Second

func buildCommand(b *testing.B) (path string) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "poolbench")
	build := exec.Command("go", "build", "-o", path, "github.com/poolbench/poolbench/cmd/poolbench")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatal(err, string(out))
	}
	return path
}

func byCommand(b *testing.B, path string, args ...string) map[string]float64 {
	b.Helper()
	cmd := exec.Command(path, append([]string{"attack", "--duration", besideLength.String(),
		"--quiet", "--out", "r", "--force", "--format", "json"}, args...)...)
	cmd.Dir = filepath.Dir(path)
	out, err := cmd.Output()
	var doc struct {
		Runs []struct {
			Metrics          map[string]float64
			Statuses, Errors []attack.Count
		}
	}
	if e := json.Unmarshal(out, &doc); e != nil || len(doc.Runs) != 1 {
		b.Fatal(err, e, string(out))
	}
	if s := doc.Runs[0].Statuses; len(s) != 1 || s[0].What != "200" {
		b.Fatal(s, doc.Runs[0].Errors)
	}
	return doc.Runs[0].Metrics
}

// byVegeta encodes each result, as vegeta's command does. A rate of 0 means as fast as possible.
// Lags count from the schedule that the earliest request implies.
func byVegeta(b *testing.B, url string, workers uint64, rate int) (perSecond, p99Lag float64) {
	b.Helper()
	attacker := vegeta.NewAttacker(vegeta.Workers(workers), vegeta.MaxWorkers(workers),
		vegeta.TLSConfig(&tls.Config{InsecureSkipVerify: true}), vegeta.HTTP2(false))
	write := gob.NewEncoder(io.Discard)
	var lags []float64
	var first time.Time
	for r := range attacker.Attack(vegeta.NewStaticTargeter(vegeta.Target{Method: "GET", URL: url}),
		vegeta.Rate{Freq: rate, Per: time.Second}, besideLength, "") {
		if err := write.Encode(r); err != nil || r.Error != "" {
			b.Fatal(err, r.Error)
		}
		implied := r.Timestamp
		if rate > 0 {
			implied = implied.Add(-time.Duration(r.Seq) * time.Second / time.Duration(rate))
		}
		if first.IsZero() || implied.Before(first) {
			first = implied
		}
		lags = append(lags, float64(implied.UnixNano()))
	}
	slices.Sort(lags)
	return float64(len(lags)) / besideLength.Seconds(),
		(lags[len(lags)*99/100] - float64(first.UnixNano())) / 1e9
}

var wrkRate = regexp.MustCompile(`Requests/sec: +([\d.]+)`)

func byWrk(b *testing.B, url string, clients int) (perSecond float64) {
	b.Helper()
	if _, err := exec.LookPath("wrk"); err != nil {
		b.Skip("wrk is not installed")
	}
	out, err := exec.Command("wrk", "-t1", fmt.Sprint("-c", clients),
		fmt.Sprint("-d", besideLength), url).Output()
	found := wrkRate.FindSubmatch(out)
	if err != nil || found == nil {
		b.Fatal(err, string(out))
	}
	perSecond, err = strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return perSecond
}

// BenchmarkBeside compares the poolbench command with wrk and vegeta against a server in its own
// process. Metrics are medians over the rounds of 3 s per tool. Use an idle machine: `make attack`.
func BenchmarkBeside(b *testing.B) {
	path := buildCommand(b)
	rounds := func(
		name, scheme string, round func(b *testing.B, url string) map[string]float64,
	) {
		b.Run(name, func(b *testing.B) {
			url := startServerProcess(b, scheme)
			all := map[string][]float64{}
			for b.Loop() {
				for unit, v := range round(b, url) {
					all[unit] = append(all[unit], v)
				}
			}
			b.ReportMetric(0, "ns/op")
			for unit, values := range all {
				slices.Sort(values)
				b.ReportMetric(values[len(values)/2], unit)
			}
		})
	}
	closed := func(clients int, of string, other func(b *testing.B, url string) float64) func(
		*testing.B, string) map[string]float64 {
		return func(b *testing.B, url string) map[string]float64 {
			theirs := other(b, url)
			args := []string{url, "--clients", strconv.Itoa(clients)}
			if url[:5] == "https" {
				args = append(args, "--insecure")
			}
			ours := byCommand(b, path, args...)["ops/s"]
			return map[string]float64{"poolbench-req/s": ours, of + "-req/s": theirs,
				"x-" + of: ours / theirs}
		}
	}
	flatOut := func(clients uint64) func(b *testing.B, url string) float64 {
		return func(b *testing.B, url string) float64 {
			perSecond, _ := byVegeta(b, url, clients, 0)
			return perSecond
		}
	}
	rounds("clients=16", "http", closed(16, "wrk",
		func(b *testing.B, url string) float64 { return byWrk(b, url, 16) }))
	rounds("clients=64", "http", closed(64, "vegeta", flatOut(64)))
	rounds("clients=16,https", "https", closed(16, "vegeta", flatOut(16)))
	rounds("clients=64,https", "https", closed(64, "vegeta", flatOut(64)))
	for _, rate := range []int{1000, 10_000} {
		name := fmt.Sprint("rate=", rate)
		rounds(name, "http", func(b *testing.B, url string) map[string]float64 {
			_, theirs := byVegeta(b, url, 64, rate)
			ours := byCommand(b, path, url, "--rate", strconv.Itoa(rate))["p99-lag-sec"]
			return map[string]float64{"poolbench-p99-lag-µs": 1e6 * ours,
				"vegeta-p99-lag-µs": 1e6 * theirs}
		})
	}
}
