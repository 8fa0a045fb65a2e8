package measure

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
	"gonum.org/v1/gonum/stat"
)

// mostParts is how many processes a run is cut into, a quarter of its iterations each: base, head,
// head, base, base, head, head, base. Of the times of its parts that of the faster half counts.
//
// What else the machine does comes and goes within a second, and can only make a part slower. Each
// part does the same work with the same seed in a process of its own, so that what a change in the
// program does to one it does to all, and where the parts of a run differ it is by what was around
// them: the least disturbed ones tell most of the program (Chen and Revels 2016, Robust
// benchmarking in noisy environments, who take the minimum). Half of them is a compromise: a change
// that slows down one process in two, by how its memory happens to lie or a map's random seed, is
// still seen.
//
// On a shared virtual machine with two cores the ratio of two runs of 250 ms of the same code, of
// 20 benchmarks of 1 to 20 µs in 10 pairs each, scattered by 12.5 % (the median of their standard
// deviations) in a single process, by 6.3 % as the mean of four parts, by 4.3 % as that of the
// faster two, and by 2.8 % as the fastest. More parts would be better still, but the start of each
// takes 7 ms.
const mostParts = 4

// ofTesting are the units that package testing itself measures: means over the iterations, so that
// the mean of parts is that of their iterations. Of a benchmark's own metrics that is not known: a
// quantile has no such mean.
var ofTesting = []string{"sec/op", "B/s", "B/op", "allocs/op"}

// divisible says whether the run could have been cut into parts.
func (r reading) divisible() bool {
	for unit := range r.tidy {
		if !slices.Contains(ofTesting, unit) {
			return false
		}
	}
	return true
}

// cut decides on the parts of a run, which have as many iterations each. A number of iterations
// that was asked for is kept, at the price of fewer parts; one that makes up a time is rounded up.
func (b *benchmark) cut(divisible, asked bool) {
	b.Parts = 1
	if divisible {
		b.Parts = min(mostParts, b.Iterations)
	}
	for asked && b.Iterations%b.Parts != 0 {
		b.Parts--
	}
	b.Iterations += (b.Parts - b.Iterations%b.Parts) % b.Parts
}

// together is the reading of a run from those of its parts, which have as many iterations each:
// times by the faster half of them, what is counted by all. Instructions that were not counted in
// every part are left out, as where they are not counted at all; the benchmark's own units must be
// in all.
func together(parts []reading) (reading, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	whole := reading{name: parts[0].name, machine: parts[0].machine, tidy: map[string]float64{}}
	printed := map[string][]float64{} // by unit, of the parts by their time
	var units []string
	for _, p := range slices.SortedStableFunc(slices.Values(parts),
		func(a, b reading) int { return cmp.Compare(a.tidy["sec/op"], b.tidy["sec/op"]) }) {
		whole.iters += p.iters
		for _, v := range p.values {
			value, unit := v.Value, v.Unit
			if v.OrigUnit != "" {
				value, unit = v.OrigValue, v.OrigUnit
			}
			if printed[unit] == nil {
				units = append(units, unit)
			}
			printed[unit] = append(printed[unit], value)
		}
	}
	for _, unit := range units {
		values := printed[unit]
		if len(values) < len(parts) {
			if unit != Instructions {
				return reading{}, fmt.Errorf("it reports %s in %d of %d parts of a run", unit,
					len(values), len(parts))
			}
			continue
		}
		faster := values[:(len(values)+1)/2]
		var mean float64
		switch _, tidied := benchunit.Tidy(1, unit); tidied {
		case "sec/op":
			mean = stat.Mean(faster, nil)
		case "B/s": // the parts have as many bytes, not as much time
			mean = stat.HarmonicMean(faster, nil)
		default:
			mean = stat.Mean(values, nil)
		}
		whole.values = append(whole.values, benchfmt.Value{Value: mean, Unit: unit})
		value, tidied := benchunit.Tidy(mean, unit)
		whole.tidy[tidied] = value
	}
	return whole, nil
}
