package why

// A Line explains one scenario in a document.
type Line struct {
	Name        string  `json:"name"`
	Repetitions int     `json:"repetitions"` // whose medians are explained
	Metric      string  `json:"metric"`      // p99-response-sec, or mean-response-sec
	Value       float64 `json:"value"`       // of it, in seconds
	Why         []Cause `json:"why"`
	Cannot      string  `json:"cannot,omitempty"` // what the results cannot tell
}

// Lines are those of all scenarios.
func Lines(groups [][]Explained) []Line {
	lines := []Line{} // and no null
	for _, g := range groups {
		for _, e := range g {
			lines = append(lines, Line{e.Cell[0].Name, len(e.Cell), e.Unit, e.Answer.Value,
				append([]Cause{}, e.Causes...), e.Cannot})
		}
	}
	return lines
}
