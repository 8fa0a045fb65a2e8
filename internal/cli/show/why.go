package show

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
	"github.com/poolbench/poolbench/reports/why"
)

func Explain(e *execute.Execution) error {
	groups := why.Groups(&results.Results{Runs: runsOf(e)})
	if len(groups) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(e.Stdout, "\nWhy\n\n"); err != nil {
		return err
	}
	return ShowWhy(e.Printer, groups)
}

func runsOf(e *execute.Execution) (runs []results.Run) {
	for _, rec := range e.Records {
		runs = append(runs, *rec.Run)
	}
	return runs
}

func ShowTools(p *terminal.Printer, tools []why.Tool) error {
	if len(tools) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(p.Stdout, "\nProfiles and traces\n"); err != nil {
		return err
	}
	for _, t := range tools {
		if _, err := fmt.Fprintf(p.Stdout, "\n  %s\n  %s\n", t.Of, t); err != nil {
			return err
		}
	}
	return nil
}

// With many scenarios, only the slowest of each group are explained.
const (
	maxWhyGroups = 8
	maxWhyRuns   = 24
	// so that the explanation can be pasted anywhere
	whyWidth = 80
)

func ShowWhy(p *terminal.Printer, groups [][]why.ScenarioCauses) error {
	left, each := 0, max(1, maxWhyRuns/max(1, min(len(groups), maxWhyGroups)))
	for i, g := range groups {
		if i >= maxWhyGroups {
			left += len(g)
			continue
		}
		if i > 0 {
			fmt.Fprintln(p.Stdout)
		}
		if title := Heading(g[0].Place()); title != "" {
			p.Paragraph("", title, whyWidth)
		}
		for j, e := range g {
			if j >= each {
				left++
				continue
			}
			explain(p, e)
		}
	}
	if left == 0 {
		return nil
	}
	_, err := fmt.Fprintf(p.Stdout, "\n%s more, which are faster or later: --format json lists "+
		"all\n", text.Count(left, "scenario"))
	return err
}

func explain(p *terminal.Printer, e why.ScenarioCauses) {
	p.Paragraph("  ", e.Name()+": "+e.Opening(), whyWidth)
	for _, c := range e.Causes {
		p.Paragraph(fmt.Sprintf("  %5s ", c.Percent()),
			fmt.Sprintf("%s: %s. %s.", c.Cause, c.Evidence, c.RemedySentence()), whyWidth)
	}
	if e.Cannot != "" {
		p.Paragraph("        ", e.Cannot, whyWidth)
	}
}
