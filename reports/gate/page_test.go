package gate

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/gate/verdict"
)

func TestGatePage(t *testing.T) {
	const screened, fresh, rows = 6, 20, 7
	var pairs []verdict.Pairs
	r := &verdict.Report{
		Old:     "main <1>",
		New:     "head",
		Options: DefaultOptions(),
		Spent: &verdict.Elapsed{
			Whole:     98.1,
			Measuring: 74.25,
		},
	}
	for i := range rows {
		p := verdict.Pairs{Screened: screened, Margin: 0.02,
			Row: verdict.Row{
				Benchmark:  fmt.Sprint("B", i),
				Metric:     "sec/op",
				Better:     verdict.Direction(1 - 2*(i%2)),
				Verdict:    verdict.Worse,
				Ratio:      1.1,
				Lo:         1.05,
				Hi:         1.2,
				Old:        verdict.Side{N: fresh, Median: 1},
				New:        verdict.Side{N: fresh, Median: 1.1},
				Detectable: verdict.Number(math.NaN()),
			}}
		for k := range screened + fresh {
			p.Old, p.New = append(p.Old, 1+float64(k%3)),
				append(p.New, (1+float64(k%3))*(1.1+float64(k)/1000))
		}
		pairs, r.Rows = append(pairs, p), append(r.Rows, p.Row)
	}
	still := pairs[0]
	still.New = still.Old
	appeared := verdict.Pairs{
		Row: verdict.Row{Benchmark: "Z", Metric: "allocs/op", Better: -1, Verdict: verdict.Worse,
			Ratio: verdict.Number(math.Inf(1)), Lo: verdict.Number(math.NaN()),
			Hi: verdict.Number(math.Inf(1))},
		Old: []float64{0},
		New: []float64{1},
	}
	r.Pairs = append(pairs, still, appeared)
	var text strings.Builder
	if err := WritePage(&text, r); err != nil {
		t.Fatal(err)
	}
	page := text.String()
	// Each row has one more dot, for its estimate.
	if got, want := strings.Count(page, `class="pb-pt"`), rows*(screened+fresh+1); got != want {
		t.Errorf("%d dots, want %d", got, want)
	}
	for _, want := range []string{"gate: worse", "main &lt;1&gt;", "B6 · sec/op: worse", "margin",
		"to exclude", "estimate", "screening", "fresh", "pair 26",
		"total time 1 min 38 s, including 1 min 14 s of measurements"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	text.Reset()
	if err := WriteJSON(&text, r); err != nil {
		t.Fatal(err)
	}
	var got struct{ Spent map[string]float64 }
	if err := json.Unmarshal([]byte(text.String()), &got); err != nil ||
		got.Spent["whole"] != 98.1 || got.Spent["measuring"] != 74.25 {
		t.Errorf("%v, %v", got, err)
	}
	text.Reset()
	if err := WritePage(
		&text,
		&verdict.Report{
			Faults: []string{"no metric left to compare"},
		},
	); err != nil || !strings.Contains(text.String(), "no metric left to compare") {
		t.Errorf("of nothing: %v", err)
	}
}
