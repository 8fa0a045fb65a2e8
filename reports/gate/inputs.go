package gate

import (
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/compare"
	"github.com/poolbench/poolbench/reports/results"
)

var environment = []string{"cpu", "goos", "goarch", "go", "gomaxprocs"}

type inputs struct {
	report   *verdict.Report
	old, new *results.Results
}

func (in inputs) both() []*results.Results { return []*results.Results{in.old, in.new} }

func (in inputs) sides() [2]map[benchmarkID][]*results.Run {
	return [2]map[benchmarkID][]*results.Run{runsByBenchmark(in.old), runsByBenchmark(in.new)}
}

func (in inputs) fault(format string, args ...any) {
	in.report.Faults = append(in.report.Faults, fmt.Sprintf(format, args...))
}

func (in inputs) unclear(format string, args ...any) {
	in.report.Unclear = append(in.report.Unclear, fmt.Sprintf(format, args...))
}

func (in inputs) warn(format string, args ...any) {
	in.report.Warnings = append(in.report.Warnings, fmt.Sprintf(format, args...))
}

func (in inputs) check(c *compare.Comparison) {
	in.unmatched()
	in.missingRuns()
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
		case of.Miscounted, of.Failed:
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

func (in inputs) unmatched() {
	sides := in.sides()
	for side, list := range []*[]string{&in.report.Removed, &in.report.Added} {
		for id := range sides[side] {
			if sides[1-side][id] == nil {
				*list = append(*list, id.String())
			}
		}
		slices.Sort(*list)
	}
}

// missingRuns finds benchmarks of go test with fewer runs than the others of their package and than
// the other side. Such a test probably ended early.
func (in inputs) missingRuns() {
	sides := in.sides()
	for side, of := range in.both() {
		if of.Schema > 0 || of.Failed {
			continue
		}
		most := map[string]int{}
		for id, runs := range sides[side] {
			most[id.pkg] = max(most[id.pkg], len(runs))
		}
		var few []string
		for id, runs := range sides[side] {
			if other := len(sides[1-side][id]); len(runs) < most[id.pkg] && len(runs) < other {
				few = append(few, fmt.Sprintf("%v has %d of %d runs", id, len(runs), most[id.pkg]))
			}
		}
		if len(few) == 0 {
			continue
		}
		slices.Sort(few)
		tell := in.fault
		if in.report.Options.AllowPartial {
			tell = in.warn
		}
		tell("%s: %s: did the run end early?", of.Path, text.List(text.Truncate(few, 2)))
	}
}

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

// warnOfGaps reports metrics that some repetitions lack. The other repetitions are judged.
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
