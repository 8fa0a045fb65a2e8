package gate

import (
	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// perRun lists the configuration keys that differ between runs and identify pairs.
var perRun = []string{"pair", "order", "seed", "layout"}

type benchmarkID struct{ pkg, name string }

func (id benchmarkID) String() string {
	if id.pkg == "" {
		return id.name
	}
	return id.pkg + "." + id.name
}

func (in inputs) pairings() map[benchmarkID]results.Pairing {
	olds, news := runsByBenchmark(in.old), runsByBenchmark(in.new)
	paired := make(map[benchmarkID]results.Pairing)
	left, otherSeeds := 0, 0
	for id, of := range olds {
		if len(news[id]) == 0 {
			continue
		}
		p := results.Paired(of, news[id])
		left += p.Left
		switch {
		case p.Why == "":
			paired[id] = p
		case p.Why == results.OtherSeeds:
			otherSeeds++
		}
	}
	if left > 0 {
		in.warn("%s without the other half of the pair: omitted", text.Count(left, "run"))
	}
	if otherSeeds > 0 {
		in.warn("%s with other seeds in %s than in %s: the runs are not paired",
			text.Count(otherSeeds, "benchmark"), in.report.New, in.report.Old)
	}
	return paired
}

func runsByBenchmark(in *results.Results) map[benchmarkID][]*results.Run {
	runs := make(map[benchmarkID][]*results.Run)
	for i := range in.Runs {
		run := &in.Runs[i]
		id := benchmarkID{run.ConfigValue("pkg"), run.Name}
		runs[id] = append(runs[id], run)
	}
	return runs
}

func pairsOf(p results.Pairing, unit string) (pairs []judge.Pair) {
	old, new := p.Values(unit)
	for i := range old {
		pairs = append(pairs, judge.Pair{Base: old[i], Head: new[i]})
	}
	return pairs
}
