package show

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/reports/results"
)

// uncertainRow returns a row whose p99 has the given relative error. A tenth of the tasks are
// warm-up.
func uncertainRow(share float64) Row {
	return Row{"semaphore", results.Cell{{Name: "Run/strategy=semaphore/n=3000", Iters: 2700,
		Keys: []results.Pair{{Key: "strategy", Value: "semaphore"}, {Key: "n", Value: "3000"}},
		Values: map[string]float64{"p99-response-sec": 0.209, "ops/s": 200,
			"needed-tasks": 720_000, "verdict": 0},
		Uncertain: map[string]float64{"p99-response-sec": share}}}}
}

// ≈ marks values with an error above 25 %. Values with an error above 100 % are dashes.
func TestUncertain(t *testing.T) {
	columns := []Column{{Head: "throughput", Unit: "ops/s"}, {Head: "p99", Unit: "p99-response-sec"}}
	for _, c := range []struct {
		share float64
		value string
		line  string
	}{
		{0.48, "≈209 ms", "≈: 95 % error above ±25 %; --n 200000 would give the p99 within ±10 %"},
		{1.21, "–", "–: 95 % error above ±100 %; --n 200000 would give the p99 within ±10 %"},
		{math.Inf(1), "–", "–: 95 % error above ±100 %; --n 200000 would give the p99 within ±10 " +
			"%"},
	} {
		rows := []Row{uncertainRow(c.share)}
		table := Table("strategy", columns, rows)
		if want := []string{"semaphore", "200 /s", c.value}; !slices.Equal(table[1], want) {
			t.Errorf("±%v: %q, want %q", c.share, table[1], want)
		}
		if got := strings.Join(Uncertain(columns, rows), "\n"); got != c.line {
			t.Errorf("±%v: %q, want %q", c.share, got, c.line)
		}
		if got := (&group{rows: rows}).cell("semaphore", p99); got != c.value {
			t.Errorf("±%v in a sweep: %q", c.share, got)
		}
	}
	certain := uncertainRow(0.48)
	certain.Cell[0].Uncertain = nil
	if lines := Uncertain(columns, []Row{certain}); lines != nil {
		t.Errorf("without marks: %q", lines)
	}
}

func TestUncertainInDocument(t *testing.T) {
	for share, want := range map[float64]string{0.48: `"uncertain":{"p99-response-sec":0.48}`,
		math.Inf(1): `"uncertain":{"p99-response-sec":null}`} {
		text, err := json.Marshal(newRunLine(execute.Record{Run: uncertainRow(share).Cell[0]}))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v: no %s in %s", err, want, text)
		}
	}
}
