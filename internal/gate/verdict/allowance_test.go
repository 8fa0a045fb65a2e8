package verdict

import (
	"strings"
	"testing"
)

func TestParseAllowance(t *testing.T) {
	for _, c := range []struct {
		text          string
		want          Allowance
		covers, not   string
		wrong, letter string
	}{
		{text: "allocs/op=1", want: Allowance{Metric: "allocs/op", Amount: 1}, covers: "Any"},
		{text: "B/op=5%", want: Allowance{Metric: "B/op", Share: 0.05}, covers: "Any/n=1"},
		{text: "Parse:allocs/op=2", want: Allowance{Benchmark: "Parse", Metric: "allocs/op",
			Amount: 2}, covers: "Parse/n=10", not: "Parser"},
		{text: "BenchmarkParse:B/op=64", want: Allowance{Benchmark: "Parse", Metric: "B/op",
			Amount: 64}, covers: "Parse-8", not: "Format", letter: "Parse:B/op=64"},
		{text: "Run/arrival=poisson:rate=3:B/op=0.5%", want: Allowance{
			Benchmark: "Run/arrival=poisson:rate=3", Metric: "B/op", Share: 0.005},
			covers: "Run/arrival=poisson:rate=3-16", not: "Run"},
		{text: "allocs/op<=1", wrong: "allocs/op< is neither allocs/op nor B/op"},
		{text: "sec/op=1", wrong: "--margin is for other metrics"},
		{text: "allocs/op", wrong: "want METRIC=AMOUNT or BENCHMARK:METRIC=AMOUNT"},
		{text: "", wrong: "want METRIC=AMOUNT"},
		{text: "allocs/op=-1", wrong: "want a number such as 1, or a share such as 5%"},
		{text: "allocs/op=one", wrong: "want a number such as 1, or a share such as 5%"},
		{text: "B/op=NaN%", wrong: "want a number such as 1, or a share such as 5%"},
	} {
		got, err := ParseAllowance(c.text)
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%q: %v, want %s", c.text, err, c.wrong)
			}
			continue
		}
		text := c.letter
		if text == "" {
			text = c.text
		}
		if err != nil || got != c.want || got.String() != text {
			t.Errorf("%q: %+v (%v), %v", c.text, got, got, err)
		}
		if !got.covers(c.covers, got.Metric) || c.not != "" && got.covers(c.not, got.Metric) ||
			got.covers(c.covers, "sec/op") {
			t.Errorf("%q covers %s: %v, %s: %v", c.text, c.covers,
				got.covers(c.covers, got.Metric), c.not, got.covers(c.not, got.Metric))
		}
	}
}
