package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/text"
)

// For so many studies only verdicts are printed. The report contains the tables.
const manyFindings = 3

func showFindings(e *execute.Execution) error {
	if len(e.Findings) == 0 {
		return nil
	}
	count := map[decide.ClaimVerdict]int{}
	for _, f := range e.Findings {
		count[f.Verdict]++
		say := func(begin, s string) { e.Paragraph(begin, s, pageWidth) }
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
	var parts []string
	for _, v := range decide.ClaimVerdicts {
		if n := count[v]; n > 0 {
			parts = append(parts, v.Of(n))
		}
	}
	return e.Prose(
		"%d claims: %s. Parentheses contain 95 %% confidence intervals over the "+
			"repetitions.\nTables and charts are in the report.\n\n", len(e.Findings),
		strings.Join(parts, ", "))
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

var interval = lazyregexp.New(`\(\S+ ([^ ()]+ )?to [^()]+\)`)

const pageWidth = 110
