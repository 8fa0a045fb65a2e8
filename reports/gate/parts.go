package gate

import (
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/reports/compare"
	"github.com/poolbench/poolbench/reports/results"
)

// explain needs the tasks of each pair, which only run directories contain.
func (in inputs) explain(paired map[benchmarkID]results.Pairing) error {
	type sides struct{ old, new []compare.Source }
	worse := map[benchmarkID]sides{}
	tasks := map[compare.Source]*compare.Tasks{}
	for _, row := range in.report.Rows {
		id := benchmarkID{row.Package, row.Benchmark}
		if _, known := worse[id]; known || !explainable(&row) {
			continue
		}
		var of sides
		for i, old := range paired[id].Old {
			of.old = append(of.old, compare.SourceOf(in.old.Dir, old))
			of.new = append(of.new, compare.SourceOf(in.new.Dir, paired[id].New[i]))
			tasks[of.old[i]], tasks[of.new[i]] = nil, nil
		}
		worse[id] = of
	}
	if err := compare.ReadTasks(tasks); err != nil {
		return err
	}
	made := map[benchmarkID]string{}
	for id, of := range worse {
		var pairs []compare.Pair
		for i := range of.old {
			if p := (compare.Pair{Base: tasks[of.old[i]], Here: tasks[of.new[i]]}); p.Known() {
				pairs = append(pairs, p)
			}
		}
		if n := len(pairs); n > 0 && n == len(of.old) {
			made[id] = compare.Decompose(pairs).String()
		}
	}
	for i := range in.report.Rows {
		if row := &in.report.Rows[i]; explainable(row) {
			row.MadeOf = made[benchmarkID{row.Package, row.Benchmark}]
		}
	}
	return nil
}

// explainable reports whether the metric is a sum of parts, or describes tasks whose responses are.
func explainable(row *verdict.Row) bool {
	return row.Verdict == verdict.Worse && metric.IsOf(row.Metric, metric.Response)
}

func partLines(r *verdict.Report) (lines []string) {
	worse := results.Gather(r.Rows, func(row verdict.Row) benchmarkID {
		return benchmarkID{row.Package, row.Benchmark}
	})
	for _, of := range worse {
		for _, row := range of {
			if row.MadeOf != "" {
				lines = append(lines, "worse, "+row.Benchmark+": "+row.MadeOf)
				break
			}
		}
	}
	return lines
}
