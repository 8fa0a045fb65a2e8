package gate

import (
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/reports/compare"
	"github.com/poolbench/poolbench/reports/gate/verdict"
	"github.com/poolbench/poolbench/reports/results"
)

// environment are the configuration keys that must agree for two inputs to be compared.
var environment = []string{"cpu", "goos", "goarch", "go", "gomaxprocs"}

// inputs are the results to judge, and the report that collects their faults.
type inputs struct {
	report   *verdict.Report
	old, new *results.Results
}

func (in inputs) both() []*results.Results { return []*results.Results{in.old, in.new} }

func (in inputs) fault(format string, args ...any) {
	in.report.Faults = append(in.report.Faults, fmt.Sprintf(format, args...))
}

func (in inputs) unclear(format string, args ...any) {
	in.report.Unclear = append(in.report.Unclear, fmt.Sprintf(format, args...))
}

func (in inputs) warn(format string, args ...any) {
	in.report.Warnings = append(in.report.Warnings, fmt.Sprintf(format, args...))
}

// check looks at what is wrong with the inputs before any number is.
func (in inputs) check(c *compare.Comparison) {
	for _, m := range c.Missing {
		if m.Unit == "" {
			in.fault("%s has no %s", m.Column, m.Benchmark)
		}
	}
	for _, v := range c.Varying {
		if slices.Contains(perRun, v.Key) {
			continue
		}
		if slices.Contains(environment, v.Key) && !in.report.Options.AllowEnvironment {
			in.fault("%s", v.Describe(c.Columns))
		} else {
			in.warn("%s", v.Describe(c.Columns))
		}
	}
	for _, of := range in.both() {
		switch {
		case of.Partial == "":
		case in.report.Options.AllowPartial:
			in.warn("%s", results.NotWhole(of))
		case of.Cut.Line > 0:
			in.fault("%v: the last line is cut off", of.Cut)
		case of.Miscounted:
			in.fault("%s", results.NotWhole(of))
		default:
			in.unclear("%s", results.NotWhole(of))
		}
		in.report.Warnings = append(in.report.Warnings, of.Warnings...)
		in.checkLaws(of)
	}
	for column, of := range in.both() {
		in.warnOfGaps(c, column, of)
	}
}

// checkLaws counts the runs that are no measurement.
func (in inputs) checkLaws(of *results.Results) {
	var broken, unbelievable []results.Pos
	for i := range of.Runs {
		run := &of.Runs[i]
		if v, _ := run.Value(results.BrokenLaws); v != 0 {
			broken = append(broken, run.Pos)
		} else if v, _ := run.Verdict(); v == results.Invalid {
			unbelievable = append(unbelievable, run.Pos)
		}
	}
	tell := func(runs []results.Pos, what string) {
		if len(runs) > 0 {
			in.unclear("%s: %d of %d runs %s (first in line %d)", of.Path,
				len(runs), len(of.Runs), what, runs[0].Line)
		}
	}
	tell(unbelievable, "are INVALID")
	tell(broken, "break invariants")
}

// warnOfGaps tells of metrics that some repetitions lack: they are judged by those that happened to
// have them.
func (in inputs) warnOfGaps(c *compare.Comparison, column int, of *results.Results) {
	runs := runsByBenchmark(of)
	for _, t := range c.Tables {
		var lacking []string
		for _, row := range t.Rows {
			cell := row.Cells[column]
			all := len(runs[benchmarkID{results.Lookup(t.Key, "pkg"), row.Name}])
			if cell != nil && len(cell.Sample.Values) < all {
				lacking = append(lacking, fmt.Sprintf("%s in only %d of %d runs",
					t.RowName(row), len(cell.Sample.Values), all))
			}
		}
		const most = 2 // to name
		more := ""
		if n := len(lacking) - most; n > 0 {
			lacking, more = lacking[:1], fmt.Sprintf(", and so of %d more benchmarks", n+1)
		}
		for _, text := range lacking {
			in.warn("%s has %s of %s%s", c.Columns[column], t.Unit, text, more)
		}
	}
}
