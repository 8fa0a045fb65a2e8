package show

import (
	"testing"

	"github.com/poolbench/poolbench/reports/results"
)

func TestCompleted(t *testing.T) {
	run := &results.Run{Values: map[string]float64{"ops/s": 194, "offered-ops/s": 200,
		"p99-response-sec": 0.112, "verdict": float64(results.Valid)}}
	row := Row{Strategy: "h", Cell: results.Cell{run}}
	const said = "h: 194 /s of 200 /s completed, p99 112 ms"
	if got := completed(row); got != said {
		t.Errorf("%q, want %q", got, said)
	}
	run.Values["verdict"] = float64(results.Suspect)
	run.Doubts = []results.Doubt{{Text: "lag: late"}, {Text: "stalls: of 20 ms"}}
	if got, want := completed(row), said+"; SUSPECT (lag, stalls)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := completed(Row{Strategy: "h"}); got != "" {
		t.Error(got)
	}
}
