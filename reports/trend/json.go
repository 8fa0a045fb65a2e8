package trend

import (
	"io"

	"github.com/poolbench/poolbench/internal/jsondoc"
	"github.com/poolbench/poolbench/reports/results"
)

// WriteJSON writes what was found as one JSON object:
//
//	{
//	  "format": "poolbench trend", "version": 1,
//	  "results": ["2026-01-02 (a)", …],         // in the order of time
//	  "alpha": 0.05, "margin": 0.02,            // chance of any false alarm; changes below the margin are not listed
//	  "tested": 12, "enough": 10,               // series that vary; results that one needs
//	  "undecided": false,                       // true where nothing could be tested: no series has enough
//	  "series": [{
//	    "benchmark": "…", "unit": "sec/op", "better": "lower" | "higher" | "",
//	    "at": [0, 1, …], "values": […],         // indexes of results; medians
//	    "changes": [{
//	      "at": 7, "result": "…",               // the first of the new level
//	      "before": 1e-6, "after": 1.2e-6,      // medians of the levels
//	      "ratio": 1.2,                         // null from 0
//	      "p": 0.001, "change": "better" | "worse" | "differs"
//	    }, …],
//	    "rho": 0.1, "most_rho": 0.3,             // lag-1 autocorrelation within levels, and what it may be; 0 without changes
//	    "doubtful": false,                      // true where such dependence shows as much by chance more often than alpha
//	    "unlisted": 0                           // changes below the margin, or before the last results asked for
//	  }, …],
//	  "warnings": ["…"]
//	}
func WriteJSON(w io.Writer, t *Trend) error {
	out := jsonTrend{Format: "poolbench trend", Version: 1, Results: t.Results,
		Alpha: t.Options.Alpha, Margin: t.Options.Margin,
		Tested: t.Tested, Enough: t.Enough, Undecided: t.Undecided(), Series: []jsonSeries{},
		Warnings: jsondoc.List(t.Warnings)}
	for _, s := range t.Series {
		series := jsonSeries{Benchmark: s.Benchmark, Unit: s.Unit,
			Better: results.Direction(s.Better), At: s.At, Values: s.Values,
			Changes: []jsonChange{},
			Rho:     s.Rho, MostRho: s.MostRho, Doubtful: s.Doubtful, Unlisted: s.Unlisted}
		for _, c := range s.Changes {
			series.Changes = append(series.Changes,
				jsonChange{c.At, t.Results[c.At], c.Before, c.After, jsondoc.Finite(c.Ratio()), c.P,
					c.Word})
		}
		out.Series = append(out.Series, series)
	}
	return jsondoc.Write(w, out)
}

type jsonTrend struct {
	Format    string       `json:"format"`
	Version   int          `json:"version"`
	Results   []string     `json:"results"`
	Alpha     float64      `json:"alpha"`
	Margin    float64      `json:"margin"`
	Tested    int          `json:"tested"`
	Enough    int          `json:"enough"`
	Undecided bool         `json:"undecided"`
	Series    []jsonSeries `json:"series"`
	Warnings  []string     `json:"warnings"`
}

type jsonSeries struct {
	Benchmark string       `json:"benchmark"`
	Unit      string       `json:"unit"`
	Better    string       `json:"better"`
	At        []int        `json:"at"`
	Values    []float64    `json:"values"`
	Changes   []jsonChange `json:"changes"`
	Rho       float64      `json:"rho"`
	MostRho   float64      `json:"most_rho"`
	Doubtful  bool         `json:"doubtful"`
	Unlisted  int          `json:"unlisted"`
}

type jsonChange struct {
	At     int      `json:"at"`
	Result string   `json:"result"`
	Before float64  `json:"before"`
	After  float64  `json:"after"`
	Ratio  *float64 `json:"ratio"`
	P      float64  `json:"p"`
	Change string   `json:"change"`
}
