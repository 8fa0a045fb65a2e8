package front

import (
	_ "embed"
	"encoding/json"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/shell"
)

var (
	//go:embed bundle.js
	bundle string
	//go:embed explore.css
	css string
)

// Script returns the script of the section.
func Script() string { return bundle }

// CSS returns the style of the section, which uses the page's colours.
func CSS() string { return css }

// Section returns the section with a text for readers without scripts. It is empty without data.
func Section(d *Data) (shell.HTML, error) {
	if len(d.Scenarios) == 0 {
		return "", nil
	}
	// json escapes <, > and &, so no name can end the element.
	text, err := json.Marshal(d.withoutNil())
	if err != nil {
		return "", err
	}
	return shell.Text(explore(string(text)))
}

// A nil slice would be null in JSON.
func (d *Data) withoutNil() *Data {
	out := *d
	out.About, out.Ranks = text.JSONList(d.About), text.JSONList(d.Ranks)
	out.Strategies, out.Metrics = text.JSONList(d.Strategies), text.JSONList(d.Metrics)
	out.Shapes, out.Runs, out.Reasons = text.JSONList(d.Shapes), text.JSONList(d.Runs),
		text.JSONList(d.Reasons)
	out.Curves, out.Courses = text.JSONList(d.Curves), text.JSONList(d.Courses)
	out.Scenarios = text.JSONList(d.Scenarios)
	for i := range out.Scenarios {
		s := &out.Scenarios[i]
		s.Facts, s.Axes = text.JSONList(s.Facts), text.JSONList(s.Axes)
		s.Cells = text.JSONList(s.Cells)
		for j := range s.Cells {
			s.Cells[j].At = text.JSONList(s.Cells[j].At)
		}
	}
	return &out
}
