package attack_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
)

// BenchmarkFrozen measures a server with known response times over real HTTP. It needs 1 ms, is
// frozen for 500 ms of every 2 s, and receives 200 requests/s for 6 s. Without a limit, a quarter
// of the requests wait U(0, 500 ms), so the response has the quantiles
//
//	q(p) = 1.1 ms + max(0, (p−0.75)/0.25) · 500 ms
//
// off-by-% is the deviation from q(p). With 4 clients or vegeta workers, the p95 response stays
// above 380 ms and the p95 service is below 2 ms. vegeta reports 1.4 ms. -benchtime 1x is enough.
func BenchmarkFrozen(b *testing.B) {
	for name, a := range map[string]attack.Attack{
		"clients=unlimited":  {MaxInFlight: attack.Unlimited},
		"in-flight=4":        {MaxInFlight: 4},
		"strategy=semaphore": {Strategy: strategy(b, "semaphore"), Limit: 4},
	} {
		b.Run(name, func(b *testing.B) {
			var r *attack.Report
			for b.Loop() {
				server := httptest.NewServer(frozen())
				a.Requests, a.Rate, a.Duration = []attack.Request{{Method: http.MethodGet,
					URL: server.URL}}, 200, 6*time.Second
				var err error
				if r, err = attack.Run(b.Context(), a); err != nil {
					b.Fatal(err)
				}
				server.Close()
			}
			for _, q := range []float64{90, 95, 99} {
				got := quantile(b, r.Result, "response", q)
				b.ReportMetric(got, fmt.Sprintf("p%v-response-ms", q))
				if name == "clients=unlimited" {
					truth := 1.1 + (q/100-0.75)/0.25*500
					b.ReportMetric(100*math.Abs(got/truth-1), fmt.Sprintf("p%v-off-by-%%", q))
				}
			}
			b.ReportMetric(quantile(b, r.Result, "service", 95), "p95-service-ms")
		})
	}
}

func quantile(b *testing.B, r *bench.Result, of string, percent float64) (ms float64) {
	b.Helper()
	for _, reading := range r.Readings {
		if reading.Of != of {
			continue
		}
		h, err := hdrhistogram.Decode([]byte(reading.Histogram))
		if err != nil {
			b.Fatal(err)
		}
		return float64(h.ValueAtPercentile(percent)) / 1e6
	}
	b.Fatalf("no distribution of %s", of)
	return 0
}
