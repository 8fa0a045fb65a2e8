package gate

import (
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/reports/results"
)

// marks returns the more serious doubts on the runs of each benchmark, of either side, or nil.
func (in inputs) marks() map[benchmarkID]*results.Doubted {
	marks := map[benchmarkID]*results.Doubted{}
	for i, of := range in.both() {
		for id, runs := range runsByBenchmark(of) {
			d := results.NewDoubted(id.name, []string{in.report.Old, in.report.New}[i], runs)
			marks[id] = marks[id].Worse(d)
		}
	}
	return marks
}

// mark marks the rows of runs that are not VALID and the uncertain values, with the reasons.
func (in inputs) mark(marks map[benchmarkID]*results.Doubted) {
	sides := in.sides()
	labels := [2]string{in.report.Old, in.report.New}
	cells, seen := map[string]int{}, map[benchmarkID]bool{}
	var all []*results.Doubted
	var shown []results.Shown
	rows := in.report.Rows
	for i := range rows {
		row := &rows[i]
		id := benchmarkID{row.Package, row.Benchmark}
		row.Doubt = marks[id].Mark()
		for side, of := range []*verdict.Side{&row.Old, &row.New} {
			cell := results.Cell(sides[side][id])
			share, _ := cell.Uncertain(row.Metric)
			of.Uncertain = verdict.Number(share)
			shown = append(shown, results.Shown{Cell: cell, Unit: row.Metric})
			if seen[id] {
				continue
			}
			cells[labels[side]]++
			if d := results.NewDoubted(row.Benchmark, labels[side], cell); d != nil {
				all = append(all, d)
			}
		}
		seen[id] = true
	}
	if len(seen) == 1 {
		for _, d := range all {
			d.Row = ""
		}
	}
	in.report.Doubts = results.DoubtLines(all, cells)
	in.report.Warnings = append(in.report.Warnings, results.UncertainLines(shown)...)
}
