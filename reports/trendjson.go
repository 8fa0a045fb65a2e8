package reports

import "io"

// WriteTrendJSON writes what was found as one JSON object:
//
//	{
//	  "format": "poolbench trend", "version": 1,
//	  "results": ["2026-01-02 (a)", …],         // in the order of time
//	  "alpha": 0.05, "margin": 0.02,            // chance of any false alarm; changes below the margin are not listed
//	  "tested": 12, "enough": 10,               // series that vary; results that one needs
//	  "series": [{
//	    "benchmark": "…", "unit": "sec/op", "better": "lower" | "higher" | "",
//	    "at": [0, 1, …], "values": […],         // indexes of results; medians
//	    "changes": [{
//	      "at": 7, "result": "…",               // the first of the new level
//	      "before": 1e-6, "after": 1.2e-6,      // medians of the levels
//	      "ratio": 1.2,                         // null from 0
//	      "p": 0.001, "change": "better" | "worse" | "differs"
//	    }, …],
//	    "unlisted": 0                           // changes below the margin, or before the last results asked for
//	  }, …],
//	  "warnings": ["…"]
//	}
func WriteTrendJSON(w io.Writer, t *Trend) error {
	out := jsonTrend{Format: "poolbench trend", Version: 1, Results: t.Results, Alpha: t.Options.Alpha, Margin: t.Options.Margin,
		Tested: t.Tested, Enough: t.Enough, Series: []jsonTrendSeries{}, Warnings: orEmpty(t.Warnings)}
	for _, s := range t.Series {
		series := jsonTrendSeries{Benchmark: s.Benchmark, Unit: s.Unit, Better: direction(s.Better), At: s.At, Values: s.Values, Changes: []jsonTrendChange{}, Unlisted: s.Unlisted}
		for _, c := range s.Changes {
			series.Changes = append(series.Changes, jsonTrendChange{c.At, t.Results[c.At], c.Before, c.After, finite(c.Ratio()), c.P, c.Word})
		}
		out.Series = append(out.Series, series)
	}
	return encodeJSON(w, out)
}

type jsonTrend struct {
	Format   string            `json:"format"`
	Version  int               `json:"version"`
	Results  []string          `json:"results"`
	Alpha    float64           `json:"alpha"`
	Margin   float64           `json:"margin"`
	Tested   int               `json:"tested"`
	Enough   int               `json:"enough"`
	Series   []jsonTrendSeries `json:"series"`
	Warnings []string          `json:"warnings"`
}

type jsonTrendSeries struct {
	Benchmark string            `json:"benchmark"`
	Unit      string            `json:"unit"`
	Better    string            `json:"better"`
	At        []int             `json:"at"`
	Values    []float64         `json:"values"`
	Changes   []jsonTrendChange `json:"changes"`
	Unlisted  int               `json:"unlisted"`
}

type jsonTrendChange struct {
	At     int      `json:"at"`
	Result string   `json:"result"`
	Before float64  `json:"before"`
	After  float64  `json:"after"`
	Ratio  *float64 `json:"ratio"`
	P      float64  `json:"p"`
	Change string   `json:"change"`
}
