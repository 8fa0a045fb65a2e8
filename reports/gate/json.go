package gate

import (
	"io"

	"github.com/poolbench/poolbench/internal/jsondoc"
	"github.com/poolbench/poolbench/reports/gate/verdict"
	"github.com/poolbench/poolbench/reports/results"
)

// gateVersion is the version of the JSON. Fields may be added within a version; none changes its
// meaning.
const version = 1

// WriteJSON writes a gate's report as one JSON object:
//
//	{
//	  "format": "poolbench gate", "version": 1,
//	  "old": "old.txt", "new": "new.txt",
//	  "exit": 1, "outcome": "gate: worse",
//	  "margin": 0.02, "promise": 0.1, "alpha": 0.05, "tests": 40,
//	  "rows": [{                              // worst first
//	    "package": "", "benchmark": "Run/…", "metric": "p99-response-sec", "better": "lower" | "higher",
//	    "verdict": "worse" | "inconclusive" | "better" | "not suspected" | "no worse", "reason": "",
//	    "test": "signed-rank" | "swap" | "rank" | "", // "": exact values, or zeros
//	    "paired": true,                       // n is a number of pairs then, by the first two tests
//	    "old": {"n": 10, "median": 0.069, "center": 0.069}, "new": {"n": 10, "median": 0.088, "center": 0.087},
//	    "ratio": 1.26,                        // of the centers, new to old; null: infinite, the old values are 0
//	    "low": 1.21, "high": 1.31,            // its interval at 1−alpha; null: not bounded
//	    "p_worse": 5e-6, "p_worse_holm": 2e-4, "p_better": 1, "p_better_holm": 1,
//	    "detectable": 0.07                    // smallest change for the worse seen 4 times of 5; null: not known
//	  }, …],
//	  "not_gated": [{"package": "", "benchmark": "Run/…", "metric": "ops/s", "reason": "…", "ratio": 1.001 | null}, …],
//	  "faults": ["…"], "unclear": ["…"], "warnings": ["…"],
//	  "spent": {"whole": 98.1, "measuring": 74.3} // seconds, the first with builds; null: it measured nothing by itself
//	}
func WriteJSON(w io.Writer, r *verdict.Report) error {
	out := jsonReport{
		Format: "poolbench gate", Version: version,
		Old: r.Old, New: r.New, Exit: r.ExitCode(), Outcome: outcome(r),
		Margin: r.Options.Margin, Promise: r.Options.Promise,
		Alpha: r.Options.Alpha, Tests: r.Tests,
		Rows: []jsonRow{}, NotGated: []jsonNotGated{},
		Faults: jsondoc.List(r.Faults), Unclear: jsondoc.List(r.Unclear),
		Warnings: jsondoc.List(r.Warnings),
	}
	for _, row := range r.Rows {
		low := jsondoc.Finite(row.Lo)
		if row.Lo == 0 && jsondoc.Finite(row.Hi) == nil {
			low = nil
		}
		was, is := row.Centers()
		out.Rows = append(out.Rows, jsonRow{
			Package: row.Package, Benchmark: row.Benchmark, Metric: row.Metric,
			Better:  results.Direction(row.Better),
			Verdict: row.Verdict, Reason: row.Reason, Test: row.Test, Paired: row.Paired(),
			Old: jsonSample{row.OldN, row.Old, was}, New: jsonSample{row.NewN, row.New, is},
			Ratio: jsondoc.Finite(row.Ratio), Low: low, High: jsondoc.Finite(row.Hi),
			PWorse: row.PWorse, PWorseHolm: row.PWorseHolm, PBetter: row.PBetter,
			PBetterHolm: row.PBetterHolm,
			Detectable:  jsondoc.Finite(row.Detectable),
		})
	}
	for _, g := range r.NotGated {
		out.NotGated = append(out.NotGated, jsonNotGated{g.Package, g.Benchmark, g.Metric, g.Reason,
			jsondoc.Finite(g.Ratio)})
	}
	if r.Spent != nil {
		out.Spent = &jsonSpent{r.Spent.Whole.Seconds(), r.Spent.Measuring.Seconds()}
	}
	return jsondoc.Write(w, out)
}

type jsonReport struct {
	Format   string         `json:"format"`
	Version  int            `json:"version"`
	Old      string         `json:"old"`
	New      string         `json:"new"`
	Exit     int            `json:"exit"`
	Outcome  string         `json:"outcome"`
	Margin   float64        `json:"margin"`
	Promise  float64        `json:"promise"`
	Alpha    float64        `json:"alpha"`
	Tests    int            `json:"tests"`
	Rows     []jsonRow      `json:"rows"`
	NotGated []jsonNotGated `json:"not_gated"`
	Faults   []string       `json:"faults"`
	Unclear  []string       `json:"unclear"`
	Warnings []string       `json:"warnings"`
	Spent    *jsonSpent     `json:"spent"`
}

type jsonSpent struct {
	Whole     float64 `json:"whole"`
	Measuring float64 `json:"measuring"`
}

type jsonRow struct {
	Package     string          `json:"package"`
	Benchmark   string          `json:"benchmark"`
	Metric      string          `json:"metric"`
	Better      string          `json:"better"`
	Verdict     verdict.Verdict `json:"verdict"`
	Reason      string          `json:"reason"`
	Test        verdict.Test    `json:"test"`
	Paired      bool            `json:"paired"`
	Old         jsonSample      `json:"old"`
	New         jsonSample      `json:"new"`
	Ratio       *float64        `json:"ratio"`
	Low         *float64        `json:"low"`
	High        *float64        `json:"high"`
	PWorse      float64         `json:"p_worse"`
	PWorseHolm  float64         `json:"p_worse_holm"`
	PBetter     float64         `json:"p_better"`
	PBetterHolm float64         `json:"p_better_holm"`
	Detectable  *float64        `json:"detectable"`
}

type jsonSample struct {
	N      int     `json:"n"`
	Median float64 `json:"median"`
	Center float64 `json:"center"`
}

type jsonNotGated struct {
	Package   string   `json:"package"`
	Benchmark string   `json:"benchmark"`
	Metric    string   `json:"metric"`
	Reason    string   `json:"reason"`
	Ratio     *float64 `json:"ratio"`
}
