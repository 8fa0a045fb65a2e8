package cli

import (
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/bench/finding"
)

// manyFindings is from how many on a run of studies prints its verdicts and no tables: those are in
// the report.
const manyFindings = 3

// showFindings prints what the studies found: claim, verdict and the numbers that decide, and what
// else there is to say where they are few.
func (a *app) showFindings(e *execution) error {
	if len(e.findings) == 0 {
		return nil
	}
	count := map[finding.Verdict]int{}
	for _, f := range e.findings {
		count[f.Verdict]++
		a.wrap("", fmt.Sprintf("%s: “%s”", f.Study, f.Claim))
		a.wrap("  ", strings.ToUpper(string(f.Verdict))+": "+f.Because)
		if len(e.findings) < manyFindings {
			for _, line := range f.Lines {
				a.wrap("  – ", line)
			}
		}
		fmt.Fprintln(a.stdout)
	}
	if len(e.findings) < manyFindings {
		return nil
	}
	var parts []string
	for _, v := range finding.Verdicts {
		if count[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[v], v))
		}
	}
	_, err := fmt.Fprintf(a.stdout,
		"%d claims: %s. Parentheses hold 95 %% confidence intervals over the repetitions.\n"+
			"Tables and charts are in the report.\n\n", len(e.findings), strings.Join(parts, ", "))
	return err
}

// pageWidth is that of prose on stdout.
const pageWidth = 110

// wrap prints a paragraph: its first line after what begins it, the others as far in and two
// columns more.
func (a *app) wrap(begin, text string) {
	column := len([]rune(begin))
	indent := strings.Repeat(" ", column+2)
	fmt.Fprint(a.stdout, begin)
	for i, word := range strings.Fields(text) {
		width := len([]rune(word))
		switch {
		case i == 0:
		case column+1+width > pageWidth:
			fmt.Fprint(a.stdout, "\n"+indent)
			column = len(indent)
		default:
			fmt.Fprint(a.stdout, " ")
			column++
		}
		fmt.Fprint(a.stdout, word)
		column += width
	}
	fmt.Fprintln(a.stdout)
}
