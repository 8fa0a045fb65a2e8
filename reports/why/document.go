package why

import "github.com/poolbench/poolbench/reports/results"

// A Line explains one scenario in a document.
type Line struct {
	Name        string  `json:"name"`
	Repetitions int     `json:"repetitions"` // the values are their medians
	Metric      string  `json:"metric"`      // p99-response-sec or mean-response-sec
	Value       float64 `json:"value"`       // in seconds
	// relative 95 % error of the value, if it is above 25 %. null: unlimited
	Uncertain *results.Number `json:"uncertain,omitempty"`
	Why       []Cause         `json:"why"`
	Cannot    string          `json:"cannot,omitempty"` // what the results cannot show
}

// Lines returns the lines of all scenarios.
func Lines(groups [][]ScenarioCauses) []Line {
	lines := []Line{} // not null in JSON
	for _, g := range groups {
		for _, e := range g {
			line := Line{e.Cell[0].Name, len(e.Cell), e.Unit, e.Answer.Value, nil,
				append([]Cause{}, e.Causes...), e.Cannot}
			if e.Error > 0 {
				line.Uncertain = new(results.Number(e.Error))
			}
			lines = append(lines, line)
		}
	}
	return lines
}
