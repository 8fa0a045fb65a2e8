package page

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/charts"
)

func TestHeatFinding(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{1, 1.2, 1.9, 1, 0.9}, "p99 stays between 900 ms and 1.90 s"},
		{[]float64{1, 1.2, 4, 9, 1, 1}, "p99 rises from 1.00 s to 9.00 s between 2.00 s and 4.00 s"},
		{[]float64{1, 1.2, 4, nan, 9, 1}, "p99 rises from 1.00 s to 9.00 s between 2.00 s and 5.00 s"},
		{[]float64{1, 1.2, 4, 1, 9, 1, 1, 1, 5},
			"p99 rises from 1.00 s to 9.00 s between 4.00 s and 5.00 s, the highest of 3 rises"},
		{[]float64{1, 2, 4, 8, 16, 32}, "p99 rises from 2.00 s to 32.0 s, from 3.00 s to the end"},
		{[]float64{8, 8, 1, 1, 1, 1}, "p99 begins at up to 8.00 s and is 1.00 s after 2.00 s"},
		{[]float64{nan, 1, nan, 2}, "The response over time: p99 has too few requests"},
	} {
		all := make([]stretch, len(c.values))
		for i := range all {
			all[i].Span = charts.Span{From: float64(i), To: float64(i + 1)}
		}
		if got := heatFinding("p99", all, c.values); got != c.want {
			t.Errorf("%v: %q, want %q", c.values, got, c.want)
		}
	}
}

func TestPageShowsHeat(t *testing.T) {
	dir := t.TempDir()
	const name = "Attack/target=here/arrival=constant/rate=50/clock=real"
	put := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(rundir.ResultsFile, "# poolbench results 1\n# seed 1\nBenchmark"+name+
		" 4000 5 ns/op 1 p99-response-sec\n# complete 1 runs\n")
	var log strings.Builder
	line := func(start, length time.Duration, responses ...time.Duration) {
		t.Helper()
		h := hdrhistogram.New(1, int64(time.Hour), 2)
		for _, ns := range responses {
			if err := h.RecordValues(int64(ns), 400); err != nil {
				t.Fatal(err)
			}
		}
		text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			t.Fatal(err)
		}
		rundir.WriteHistogram(&log, rundir.Histogram{Start: start, Length: length,
			Tag:     rundir.Tag(name, 0, rundir.OverTime),
			Largest: h.Max(), Encoded: string(text)})
	}
	for i := range time.Duration(8) {
		response := time.Millisecond
		if i == 3 {
			response = 300 * time.Millisecond
		}
		line(i*time.Second, time.Second, response)
	}
	put(rundir.DistributionsFile, log.String())
	html := page(t, dir)
	for _, want := range []string{"p99 of here rises from 1.00 ms to 302 ms between 3.00 s and " +
		"4.00 s", "Response times of 3200 requests of here", "A column is 1.00 s",
		"<summary>Response over time</summary>", "3.00 s to 4.00 s", "400 requests, 302 ms at most",
		"<td>302 ms"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	good := log.String()
	line(9*time.Second, 0, time.Second)
	for what, text := range map[string]string{"no length": log.String(), "too many": strings.Repeat(
		good, 60)} {
		put(rundir.DistributionsFile, text)
		if _, err := Load(dir); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprint(rundir.DistributionsFile, ":")) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
