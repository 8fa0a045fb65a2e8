package show

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/text"
)

type PlannedScenario struct {
	Name    string  `json:"name"`
	Section string  `json:"section,omitempty"`
	Count   int     `json:"count"`
	Seconds float64 `json:"seconds"` // estimated duration of one run
}

func ShowPlan(to *terminal.Printer, p options.Plan, format string) error {
	if format == "json" {
		doc := struct {
			text.Head
			Runs      int               `json:"runs"`
			Seconds   float64           `json:"seconds"` // estimated total duration
			Scenarios []PlannedScenario `json:"scenarios"`
		}{Head: text.NewHead("plan"), Runs: p.Runs(), Seconds: p.Estimate().Seconds()}
		for _, s := range p {
			for _, sc := range s.Suite.Scenarios {
				doc.Scenarios = append(doc.Scenarios,
					PlannedScenario{sc.Name(), s.Title, max(s.Suite.Count, 1),
						sc.Estimate().Seconds()})
			}
		}
		return to.JSON(doc)
	}
	scenarios := 0
	for _, s := range p {
		if s.Title != "" {
			fmt.Fprintf(to.Stdout, "# %s\n", s.Title)
		}
		for _, sc := range s.Suite.Scenarios {
			fmt.Fprintln(to.Stdout, sc.Name())
		}
		scenarios += len(s.Suite.Scenarios)
	}
	_, err := fmt.Fprintf(to.Stdout, "%d scenarios, %d runs, about %s\n", scenarios, p.Runs(),
		text.Roughly(p.Estimate()))
	return err
}
