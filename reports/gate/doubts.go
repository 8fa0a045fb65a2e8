package gate

import (
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/reports/results"
)

// Benchmarks without doubts are absent. Doubts are by side.
func (in inputs) doubts() map[benchmarkID][2]*results.DoubtfulCell {
	doubts := map[benchmarkID][2]*results.DoubtfulCell{}
	for side, label := range []string{in.report.Old, in.report.New} {
		for id, runs := range in.sides()[side] {
			if d := results.NewDoubted(id.name, label, runs); d != nil {
				of := doubts[id]
				of[side] = d
				doubts[id] = of
			}
		}
	}
	return doubts
}

func (in inputs) addDoubts(doubts map[benchmarkID][2]*results.DoubtfulCell) {
	sides := in.sides()
	cells, seen := map[string]int{}, map[benchmarkID]bool{}
	var all []*results.DoubtfulCell
	var shown []results.ShownMetric
	for i := range in.report.Rows {
		row := &in.report.Rows[i]
		id := benchmarkID{row.Package, row.Benchmark}
		row.Doubt = doubts[id][0].Worse(doubts[id][1]).Mark()
		for side, of := range []*verdict.Side{&row.Old, &row.New} {
			cell := results.Cell(sides[side][id])
			share, _ := cell.Uncertain(row.Metric)
			of.Uncertain = verdict.Number(share)
			shown = append(shown, results.ShownMetric{Cell: cell, Unit: row.Metric})
			if seen[id] {
				continue
			}
			cells[[]string{in.report.Old, in.report.New}[side]]++
			if d := doubts[id][side]; d != nil {
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
