package trend

import (
	"io"

	"github.com/poolbench/poolbench/internal/text"
)

// WriteJSON writes a trend as one JSON object:
//
//	{
//	  "format": "poolbench trend", "version": 1,
//	  "results": ["2026-01-02 (a)", …],         // in the order of time
//	  "alpha": 0.05, "margin": 0.02,            // probability of any false alarm; smaller changes than margin are not listed
//	  "tested": 12, "enough": 10,               // series that vary; results needed by a series
//	  "undecided": false,                       // true if nothing could be tested: no series has enough
//	  "series": [{
//	    "benchmark": "…", "unit": "sec/op", "better": "lower" | "higher" | "",
//	    "at": [0, 1, …], "values": […],         // indexes of results; medians. Without results with an INVALID run
//	    "suspect": [3], "uncertain": [3],       // indexes of results: with SUSPECT runs; with a 95 % error above 25 %
//	    "errors": [0.48],                       // of uncertain: relative 95 % errors; null: unlimited
//	    "changes": [{
//	      "at": 7, "result": "…",               // the first of the new level
//	      "before": 1e-6, "after": 1.2e-6,      // medians of the levels
//	      "ratio": 1.2,                         // null: from 0
//	      "p": 0.001, "change": "better" | "worse" | "differs",
//	      "doubt": "SUSPECT"                    // from runs of the two levels; else absent
//	    }, …],
//	    "rho": 0.1, "most_rho": 0.3,             // lag-1 autocorrelation within levels, and its limit; 0 without changes
//	    "doubtful": false,                      // true if chance causes such changes more often than alpha
//	    "unlisted": 0                           // changes below the margin, or before the requested last results
//	  }, …],
//	  "doubts": ["SUSPECT (too short): …"],      // distinct reasons why runs are not VALID
//	  "warnings": ["…"]
//	}
func WriteJSON(w io.Writer, t *Trend) error {
	trend := *t // with empty lists instead of null
	trend.Series, trend.Warnings = text.JSONList(t.Series), text.JSONList(t.Warnings)
	trend.Doubts = text.JSONList(t.Doubts)
	return text.WriteJSON(w, struct {
		text.Head
		Trend
	}{text.NewHead("trend"), trend})
}
