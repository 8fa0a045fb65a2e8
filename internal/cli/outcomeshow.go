package cli

import (
	"fmt"
	"strings"
)

// showOutcome prints what came out: on stdout the table or the document, on stderr what a reader
// must not miss.
func showOutcome(e *execution, format string) error {
	if format == "json" {
		return e.JSON(document(e, "run"))
	}
	if err := showHeadline(e); err != nil {
		return err
	}
	if err := showFindings(e); err != nil {
		return err
	}
	if len(e.findings) < manyFindings {
		if err := showTables(e); err != nil {
			return err
		}
	}
	if err := showObjectives(e); err != nil {
		return err
	}
	if missing := e.planned - e.done; missing > 0 {
		why := fmt.Sprintf("%d failed", len(e.failed))
		switch {
		case e.cut != nil:
			why = "interrupted"
		case missing > len(e.failed):
			why = "given up"
		}
		e.Complain(fmt.Errorf("%s holds %d of %d runs: %s", e.dir.Path(), e.done, e.planned,
			why))
	}
	if e.report == "" {
		return nil
	}
	return e.Prose(`Report: %s
  Response counts from the instant a task was due: it is wait and service, and a strategy that blocks hides nothing.
  Compare strategies within one table, at the same load; where theory is exact, the report draws it as a line.
  To compare with another run: poolbench compare OLD %s
`, e.report, e.dir.Path())
}

// showHeadline prints what the report begins with, unless studies say it at more length.
func showHeadline(e *execution) error {
	if e.headline == "" || len(e.findings) > 0 {
		return nil
	}
	e.Say("", e.headline, pageWidth)
	e.Say("", strings.Join(e.trust, " · "), pageWidth)
	_, err := fmt.Fprintln(e.Stdout)
	return err
}
