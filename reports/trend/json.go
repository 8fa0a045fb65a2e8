package trend

import (
	"io"

	"github.com/poolbench/poolbench/internal/text"
)

// WriteJSON writes a trend as one JSON object:
//
//	{
//	  "format": "poolbench trend", "version": 1,
//	  "results": ["2026-01-02 (a)", …],
//	  "alpha": 0.05, "margin": 0.02,            // probability of any false alarm; smallest listed change
//	  "tested": 12, "enough": 10,               // varying series; results that a series needs
//	  "undecided": false,                       // true if no series has enough
//	  "series": [{
//	    "benchmark": "…", "unit": "sec/op", "better": "lower" | "higher" | "",
//	    "at": [0, 1, …], "values": […],         // indexes of results without INVALID runs; medians
//	    "suspect": [3], "uncertain": [3],       // indexes of results
//	    "errors": [0.48],                       // relative 95 % errors above 0.25; null: unlimited
//	    "changes": [{
//	      "at": 7, "result": "…",               // the first of the new level
//	      "before": 1e-6, "after": 1.2e-6,      // medians of the levels
//	      "ratio": 1.2,                         // null: from 0
//	      "p": 0.001, "change": "better" | "worse" | "differs",
//	      "doubt": "SUSPECT"                    // else absent
//	    }, …],
//	    "rho": 0.1, "most_rho": 0.3,             // lag-1 autocorrelation, and its limit; 0 without changes
//	    "doubtful": false,                      // true: the changes may be chance
//	    "unlisted": 0                           // number of other changes
//	  }, …],
//	  "doubts": ["SUSPECT (too short): …"],      // why runs are not VALID
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
