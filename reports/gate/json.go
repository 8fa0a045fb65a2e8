package gate

import (
	"io"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/text"
)

// WriteJSON writes a gate's report as one JSON object:
//
//	{
//	  "format": "poolbench gate", "version": 2,
//	  "old": "old.txt", "new": "new.txt",
//	  "exit": 1, "outcome": "gate: worse",
//	  "margin": 0.02, "promise": 0.1, "alpha": 0.05, "tests": 40,
//	  "rows": [{                              // worst first
//	    "package": "", "benchmark": "Run/…", "metric": "p99-response-sec", "better": "lower" | "higher",
//	    "verdict": "worse" | "inconclusive" | "better" | "not suspected" | "no worse", "reason": "",
//	    "test": "signed-rank" | "swap" | "rank" | "", // "": no test
//	    "paired": true,                       // n is then a number of pairs
//	    "equal": true,                        // all values, or all pairs; else absent
//	    "doubt": "SUSPECT",                   // or INVALID; else absent
//	    "old": {"n": 10, "median": 0.069, "uncertain": 0.3}, // uncertain: 95 % error, if above 0.25; null: unlimited
//	    "new": {"n": 10, "median": 0.088},
//	    "ratio": 1.26,                        // new to old (Hodges–Lehmann); null: infinite
//	    "low": 1.21, "high": 1.31,            // interval at 1−alpha; null: unbounded
//	    "p_worse": 5e-6, "p_worse_holm": 2e-4, "p_better": 1, "p_better_holm": 1,
//	    "made_of": "…",                       // parts of a worse response; absent if unknown
//	    "detectable": 0.07,                   // change for the worse detected 4 times in 5; null: unknown
//	    "needs": 45                           // pairs, or samples of each side, that would decide an inconclusive row; else absent
//	  }, …],
//	  "not_gated": [{"package": "", "benchmark": "Run/…", "metric": "ops/s", "reason": "…", "ratio": 1.001 | null}, …],
//	  "added": ["example.org/m.New"], "removed": [],
//	  "faults": ["…"], "unclear": ["…"], "warnings": ["…"],
//	  "doubts": ["SUSPECT (too short): …"],   // why runs are not VALID
//	  "spent": {"whole": 98.1, "measuring": 74.3} // seconds; null without own measurements
//	}
func WriteJSON(w io.Writer, r *verdict.Report) error {
	report := *r // with empty lists instead of null
	report.Rows, report.NotGated = text.JSONList(r.Rows), text.JSONList(r.NotGated)
	report.Added, report.Removed = text.JSONList(r.Added), text.JSONList(r.Removed)
	report.Faults, report.Unclear = text.JSONList(r.Faults), text.JSONList(r.Unclear)
	report.Warnings, report.Doubts = text.JSONList(r.Warnings), text.JSONList(r.Doubts)
	head := text.NewHead("gate")
	head.Version = 2
	return text.WriteJSON(w, struct {
		text.Head
		Old     string `json:"old"`
		New     string `json:"new"`
		Exit    int    `json:"exit"`
		Outcome string `json:"outcome"`
		verdict.Report
	}{head, r.Old, r.New, r.ExitCode(), outcome(r), report})
}
