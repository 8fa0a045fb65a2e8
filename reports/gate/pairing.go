package gate

import (
	"cmp"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/prose"
	"github.com/poolbench/poolbench/reports/results"
)

// perRun are the configuration keys that are meant to differ from run to run: they say which runs
// belong together.
var perRun = []string{"pair", "order", "seed", "layout"}

// benchmarkID is a benchmark with its package.
type benchmarkID struct{ pkg, name string }

// A pairing is the runs of a benchmark that belong together: old[i] and new[i] were measured next
// to each other, or did the same work.
type pairing struct{ old, new []*results.Run }

// pairings finds the benchmarks whose runs come in pairs. Where a configuration line numbers the
// pair of every run, as those of gate's own measurements do, runs of one number are one; those
// whose other half is lost are left out. Otherwise the runs of a seed are a pair, since they face
// the same arrivals and do the same work, when both sides have the same seeds, each once.
func (in inputs) pairings() map[benchmarkID]pairing {
	olds, news := runsByBenchmark(in.old), runsByBenchmark(in.new)
	paired := make(map[benchmarkID]pairing)
	incomplete, otherSeeds := 0, 0
	for id, of := range olds {
		numbers := func(run *results.Run) string { return run.ConfigValue("pair") }
		if a, b := keyed(of, numbers), keyed(news[id], numbers); a != nil && b != nil {
			if p, left := matched(of, b, numbers); len(p.old) > 0 {
				paired[id] = p
				incomplete += left + len(news[id]) - len(p.new)
			}
			continue
		}
		if a, b := keyed(of, seedOf), keyed(news[id], seedOf); a != nil && b != nil {
			if p, left := matched(of, b, seedOf); left == 0 && len(of) == len(news[id]) {
				paired[id] = p
			} else {
				otherSeeds++
			}
		}
	}
	if incomplete > 0 {
		in.warn("%s without the other half of the pair: left out", prose.Count(incomplete, "run"))
	}
	if otherSeeds > 0 {
		in.warn("%s with other seeds in %s than in %s: the runs are not paired",
			prose.Count(otherSeeds, "benchmark"), in.report.New, in.report.Old)
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

// keyed finds runs by their key; nil when one has none, or two have the same.
func keyed(runs []*results.Run, key func(*results.Run) string) map[string]*results.Run {
	by := make(map[string]*results.Run)
	for _, run := range runs {
		k := key(run)
		if k == "" || by[k] != nil {
			return nil
		}
		by[k] = run
	}
	return by
}

// matched puts runs beside those of the same key; left is how many have none.
func matched(
	old []*results.Run, new map[string]*results.Run, key func(*results.Run) string,
) (p pairing, left int) {
	for _, run := range old {
		if other := new[key(run)]; other != nil {
			p.old, p.new = append(p.old, run), append(p.new, other)
		} else {
			left++
		}
	}
	return p, left
}

// seedOf is that of the run's work; "" where it is not known.
func seedOf(r *results.Run) string { return cmp.Or(r.Seed, r.ConfigValue("seed")) }

// pairs takes the metric of those pairs that have it on both sides.
func (p pairing) pairs(unit string) (pairs []judge.Pair) {
	for i, old := range p.old {
		a, inOld := old.Value(unit)
		b, inNew := p.new[i].Value(unit)
		if inOld && inNew {
			pairs = append(pairs, judge.Pair{Base: a, Head: b})
		}
	}
	return pairs
}
