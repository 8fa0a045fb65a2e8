package revisions

import (
	"fmt"
	"slices"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
	"gonum.org/v1/gonum/stat"
)

// mostParts is how many processes a run is cut into, a quarter of its iterations each: base, head, head, base, base, head, head, base. What else
// the machine does comes and goes within a second, so that of two runs of 250 ms one after the other often only one is hit. On a shared
// virtual machine the ratio of two runs of the same code scattered by 13 %, and by 9 % in three to eight parts in turns; twelve made 6 % of it,
// but the start of a process takes 10 ms.
const mostParts = 4

// ofTesting are the units that package testing itself measures: means over the iterations, so that the mean of the parts is that of the run. Of
// a benchmark's own metrics that is not known: a quantile has no such mean.
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

// cut decides on the parts of a run, which have as many iterations each. A number of iterations that was asked for is kept, at the price of fewer
// parts; one that makes up a time is rounded up.
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

// together is the reading of a run from those of its parts, which have as many iterations each. Instructions that were not counted in every part
// are left out, as where they are not counted at all; the benchmark's own units must be in all.
func together(parts []reading) (reading, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	whole := reading{name: parts[0].name, machine: parts[0].machine, tidy: map[string]float64{}}
	printed := map[string][]float64{}
	var units []string
	for _, p := range parts {
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
		switch {
		case len(values) == len(parts):
			mean := stat.Mean(values, nil)
			if unit == "MB/s" { // the parts have as many bytes, not as much time
				mean = stat.HarmonicMean(values, nil)
			}
			whole.values = append(whole.values, benchfmt.Value{Value: mean, Unit: unit})
			value, tidied := benchunit.Tidy(mean, unit)
			whole.tidy[tidied] = value
		case unit != Instructions:
			return reading{}, fmt.Errorf("it reports %s in %d of %d parts of a run", unit, len(values), len(parts))
		}
	}
	return whole, nil
}
