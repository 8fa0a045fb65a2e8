package gate

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/poolbench/poolbench/reports/gate/verdict"
)

// WriteJUnit writes a gate's report as JUnit XML, for systems that show tests: each metric of a
// benchmark is a test case of its package. What is worse has failed; what is inconclusive, and what
// keeps the gate from judging, is an error, since neither is a pass; what is not gated was skipped.
// All else a reader should know is the suite's output.
func WriteJUnit(w io.Writer, r *verdict.Report) error {
	suite := junitSuite{Name: "poolbench gate",
		Output: strings.Join(append(summary(r), append(remarks(r), outcome(r))...), "\n")}
	add := func(c junitCase) {
		suite.Tests++
		switch {
		case c.Failure != nil:
			suite.Failures++
		case c.Error != nil:
			suite.Errors++
		case c.Skipped != nil:
			suite.Skipped++
		}
		suite.Cases = append(suite.Cases, c)
	}
	for _, list := range [][]string{r.Faults, r.Unclear} {
		for _, why := range list {
			add(junitCase{Name: "cannot judge", Class: suite.Name,
				Error: &junitText{Type: "fault", Message: why}})
		}
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		c := junitCase{Name: row.Benchmark + " " + row.Metric, Class: row.Package}
		var text strings.Builder
		for col, cell := range columns(row, nil) {
			fmt.Fprintf(&text, "%s: %s\n", gateColumns[col].head, cell)
		}
		said := &junitText{Type: string(row.Verdict),
			Message: strings.TrimSuffix(fmt.Sprintf("%s: %s %s: %s", row.Verdict, row.Metric,
				percent(row.Ratio), row.Reason), ": "), Text: text.String()}
		switch row.Verdict {
		case verdict.Worse:
			c.Failure = said
		case verdict.Inconclusive:
			c.Error = said
		default:
			c.Output = said.Text
		}
		add(c)
	}
	for _, n := range r.NotGated {
		add(junitCase{Name: n.Benchmark + " " + n.Metric, Class: n.Package,
			Skipped: &junitText{Message: n.Reason}})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encode := xml.NewEncoder(w)
	encode.Indent("", "  ")
	if err := encode.Encode(junitSuites{Suites: []junitSuite{suite}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
	Output   string      `xml:"system-out,omitempty"`
}

type junitCase struct {
	Name    string     `xml:"name,attr"`
	Class   string     `xml:"classname,attr"`
	Failure *junitText `xml:"failure"`
	Error   *junitText `xml:"error"`
	Skipped *junitText `xml:"skipped"`
	Output  string     `xml:"system-out,omitempty"`
}

type junitText struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}
