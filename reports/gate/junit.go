package gate

import (
	"fmt"
	"io"
	"strings"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/junit"
)

// WriteJUnit writes a gate's report as JUnit XML.
func WriteJUnit(w io.Writer, r *verdict.Report) error { return testCases(r).Write(w) }

// WriteAnnotations writes a GitHub workflow command for each test case that did not pass.
func WriteAnnotations(w io.Writer, r *verdict.Report) error { return testCases(r).Annotate(w) }

// A worse metric is a failed test case. An inconclusive one, and anything that prevents a verdict,
// is an error. A metric not gated is skipped.
func testCases(r *verdict.Report) *junit.Suite {
	suite := &junit.Suite{Name: "poolbench gate",
		Output: strings.Join(append(summary(r), append(remarks(r), outcome(r))...), "\n")}
	for _, list := range [][]string{r.Faults, r.Unclear} {
		for _, why := range list {
			suite.Add(junit.Case{Name: "cannot decide", Class: suite.Name,
				Error: &junit.Text{Type: "fault", Message: why}})
		}
	}
	all := rowsTable(r.Rows, nil)
	for i := range r.Rows {
		row := &r.Rows[i]
		c := junit.Case{Name: row.Benchmark + " " + row.Metric, Class: row.Package}
		var text strings.Builder
		for column, cell := range all.Rows[i].Cells {
			fmt.Fprintf(&text, "%s: %s\n", all.Columns[column].Title, cell)
		}
		said := &junit.Text{Type: string(row.Verdict),
			Message: strings.TrimSuffix(fmt.Sprintf("%s: %s %s: %s", marked(row), row.Metric,
				change(row), row.Reason), ": "), Text: text.String()}
		switch row.Verdict {
		case verdict.Worse:
			c.Failure = said
		case verdict.Inconclusive:
			c.Error = said
		default:
			c.Output = said.Text
		}
		suite.Add(c)
	}
	for _, n := range r.NotGated {
		suite.Add(junit.Case{Name: n.Benchmark + " " + n.Metric, Class: n.Package,
			Skipped: &junit.Text{Message: n.Reason}})
	}
	return suite
}
