package show

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/text"
)

// manyFindings is the number of studies from which only verdicts are printed. The report contains
// the tables.
const manyFindings = 3

// showFindings prints the findings of studies: claim, verdict and advice. For a few studies it also
// prints the tables of the deciding numbers, and further findings.
func showFindings(e *execute.Execution) error {
	if len(e.Findings) == 0 {
		return nil
	}
	count := map[decide.ClaimVerdict]int{}
	for _, f := range e.Findings {
		count[f.Verdict]++
		say := func(begin, s string) { e.Say(begin, s, pageWidth) }
		say("", fmt.Sprintf("%s: “%s”", f.Study, f.Claim))
		verdict := strings.ToUpper(string(f.Verdict))
		if f.Verdict != decide.Depends { // which continues: on the ...
			verdict += ":"
		}
		say("  ", verdict+" "+f.Because)
		if len(e.Findings) < manyFindings {
			if err := showTable(e, f.Table); err != nil {
				return err
			}
			for _, line := range f.Lines {
				say("  – ", line)
			}
		}
		if f.Advice != "" {
			say("  Next: ", f.Advice)
		}
		fmt.Fprintln(e.Stdout)
	}
	if len(e.Findings) < manyFindings {
		return nil
	}
	return e.Prose(
		"%d claims: %s. Parentheses contain 95 %% confidence intervals over the "+
			"repetitions.\nTables and charts are in the report.\n\n", len(e.Findings),
		text.Tally(count, decide.ClaimVerdicts...))
}

func showTable(e *execute.Execution, t *decide.Table) error {
	if t == nil {
		return nil
	}
	fmt.Fprintln(e.Stdout)
	width := pageWidth
	if n := e.Columns(); n > 0 {
		width = min(width, n)
	}
	if err := text.WriteTable(e.Stdout, t.Lines(), width); err != nil {
		return err
	}
	if slices.ContainsFunc(t.Rows, func(row []string) bool {
		return interval.MatchString(strings.Join(row, " "))
	}) {
		fmt.Fprintln(e.Stdout, "  (a to b): 95 % confidence interval over the repetitions")
	}
	fmt.Fprintln(e.Stdout)
	return nil
}

var interval = regexp.MustCompile(`\(\S+ ([^ ()]+ )?to [^()]+\)`)

// pageWidth is the width of prose on stdout, in columns.
const pageWidth = 110
