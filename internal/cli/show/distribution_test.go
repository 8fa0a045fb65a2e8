package show

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
)

func responses(t *testing.T, ms ...int64) *bench.Result {
	t.Helper()
	h := hdrhistogram.New(1, int64(time.Hour), 3)
	for _, v := range ms {
		if err := h.RecordValue(v * int64(time.Millisecond)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	r := &bench.Result{Readings: []result.Reading{{Of: "response", Histogram: string(text)}}}
	r.Add("max-response-sec", float64(slices.Max(ms))/1000)
	return r
}

// Percentiles use the nearest rank, and a dash if there are too few requests. Values are medians
// over repetitions.
func TestSpread(t *testing.T) {
	var hundred []int64
	for v := range int64(100) {
		hundred = append(hundred, v+1)
	}
	var s spread
	if err := s.add(responses(t, hundred...)); err != nil {
		t.Fatal(err)
	}
	row := s.row("x", "response", nil)
	if want := "x 50.0 ms 75.0 ms 90.0 ms 95.0 ms – – 100 ms"; strings.Join(row, " ") != want {
		t.Errorf("%q, want %q", row, want)
	}
	if row := s.row("x", "tls", nil); row != nil {
		t.Errorf("%q of a phase that never was", row)
	}
	if err := s.add(responses(t, 200, 300)); err != nil { // too few for any quantile
		t.Fatal(err)
	}
	if row := s.row("x", "response", nil); row[1] != "50.0 ms" || row[7] != "200 ms" {
		t.Errorf("over two repetitions %q", row)
	}
	if n := s.responses.TotalCount(); n != 102 {
		t.Errorf("%d responses in the histogram, want 102", n)
	}
}

func TestHistogram(t *testing.T) {
	var s spread
	if err := s.add(responses(t, 1, 1, 1, 1, 2, 4, 256)); err != nil {
		t.Fatal(err)
	}
	want := `  ≤  2.00 ms  5  ███████████████████████
  ≤  4.00 ms  1  ████▋
  ≤  8.00 ms  0
  ≤  16.0 ms  0
  ≤  32.0 ms  0
  ≤  64.0 ms  0
  ≤   128 ms  0
  ≤   256 ms  1  ████▋`
	got := histogram(s.responses, 40)
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	for _, line := range got {
		if len([]rune(line)) > 40 {
			t.Errorf("%q is wider than 40", line)
		}
	}
	var same spread
	if err := same.add(responses(t, 5, 5)); err != nil {
		t.Fatal(err)
	}
	if lines := histogram(same.responses, 40); len(lines) != 1 {
		t.Errorf("equal responses are %d rows", len(lines))
	}
	var close spread // three responses within 4 %
	if err := close.add(responses(t, 100, 102, 104)); err != nil {
		t.Fatal(err)
	}
	labels := map[string]bool{}
	for _, line := range histogram(close.responses, 40) {
		label, _, _ := strings.Cut(line, "ms")
		if labels[label] {
			t.Errorf("two rows go up to %s", label)
		}
		labels[label] = true
	}
	if lines := histogram(nil, 40); lines != nil {
		t.Errorf("nothing is %q", lines)
	}
}
