package show

import (
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/text"
)

// manyFindings is the number of studies from which only verdicts are printed. The report contains
// the tables.
const manyFindings = 3

// showFindings prints the findings of studies: claim, verdict, rule of thumb and the deciding
// numbers. It shows more detail for a few studies.
func showFindings(e *execute.Execution) error {
	if len(e.Findings) == 0 {
		return nil
	}
	count := map[decide.ClaimVerdict]int{}
	for _, f := range e.Findings {
		count[f.Verdict]++
		say := func(begin, s string) { e.Say(begin, s, pageWidth) }
		say("", fmt.Sprintf("%s: “%s”", f.Study, f.Claim))
		if verdict := strings.ToUpper(string(f.Verdict)) + ": "; f.Advice == "" {
			say("  ", verdict+f.Because)
		} else {
			say("  ", verdict+f.Advice)
			say("    ", f.Because)
		}
		if len(e.Findings) < manyFindings {
			for _, line := range f.Lines {
				say("  – ", line)
			}
		}
		fmt.Fprintln(e.Stdout)
	}
	if len(e.Findings) < manyFindings {
		return nil
	}
	return e.Prose(
		"%d claims: %s. Parentheses hold 95 %% confidence intervals over the repetitions.\n"+
			"Tables and charts are in the report.\n\n", len(e.Findings),
		text.Tally(count, decide.ClaimVerdicts...))
}

// pageWidth is the width of prose on stdout, in columns.
const pageWidth = 110
