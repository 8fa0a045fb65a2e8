package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/why"
)

func Show(e *execute.Execution, format string) error {
	if format == "json" {
		return e.JSON(NewDocument(e, "run"))
	}
	if err := e.ShowCut(); err != nil {
		return err
	}
	if err := showHeadline(e); err != nil {
		return err
	}
	if err := showFindings(e); err != nil {
		return err
	}
	// The answer of a study is its own table. Those of its runs may have hundreds of lines.
	answered := len(e.Findings) > 0 && !slices.ContainsFunc(e.Findings,
		func(f decide.Finding) bool { return f.Table == nil })
	if !answered && len(e.Findings) < manyFindings {
		if err := showTables(e); err != nil {
			return err
		}
	} else if len(e.Findings) < manyFindings && e.Report != "" {
		if err := e.Prose("The report contains the tables of all %s.\n\n",
			text.Count(e.Done, "run")); err != nil {
			return err
		}
	}
	if err := ShowObjectives(e, func(r execute.Record) string {
		return shortName(r, e.Records)
	}); err != nil {
		return err
	}
	if missing := e.Planned - e.Done; missing > 0 {
		why := fmt.Sprintf("%d failed", len(e.Failed))
		switch {
		case e.Cut != nil:
			why = "interrupted"
		case missing > len(e.Failed):
			why = "given up"
		}
		e.Complain(fmt.Errorf("%s contains %d of %d runs: %s", e.Dir.Path(), e.Done, e.Planned,
			why))
	}
	if e.Report == "" {
		return nil
	}
	for _, t := range why.Traces(e.Dir.Path(), runsOf(e)) {
		e.Paragraph("", "Trace of a slow task, "+t.Of+":", pageWidth)
		if err := e.Prose("  %s\n\n", t); err != nil {
			return err
		}
	}
	return e.Prose(`Report: %s
  Response time = wait + service time, from the planned (due) time of a task, so it includes queueing and blocking.
  Compare strategies only within one table, at the same load. If theory is exact, the report draws it as a line.
  To compare with another run: poolbench compare OLD %s
`, e.Report, e.Dir.Path())
}

// showHeadline prints nothing if studies print more detail.
func showHeadline(e *execute.Execution) error {
	if e.Headline == "" || len(e.Findings) > 0 {
		return nil
	}
	e.Paragraph("", e.Headline, pageWidth)
	e.Paragraph("", strings.Join(e.Trust, " · "), pageWidth)
	_, err := fmt.Fprintln(e.Stdout)
	return err
}
