package traces

import (
	"fmt"
	"slices"
)

// Strategies gain nothing from classes with equal durations.
const minRatio = 2

// Long reports for each class of the trace whether its tasks are long: the class of that name or,
// for "", the classes with a mean duration above that of all tasks, if it is at least twice that of
// the others.
func (p *Plan) Long(name string) ([]bool, error) {
	names := p.trace.Classes
	long := make([]bool, len(names))
	if name != "" {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fmt.Errorf("no task has class %q", name)
		}
		long[i] = true
		return long, nil
	}
	counts, sums := make([]float64, len(names)), make([]float64, len(names))
	sum := 0.0
	for _, r := range p.records {
		counts[r.Class()]++
		sums[r.Class()] += float64(r.Took())
		sum += float64(r.Took())
	}
	tasks, work := 0.0, 0.0 // of the long ones
	for i := range long {
		if long[i] = sums[i]*float64(len(p.records)) > sum*counts[i]; long[i] {
			tasks, work = tasks+counts[i], work+sums[i]
		}
	}
	if others := float64(len(p.records)) - tasks; work*others < minRatio*(sum-work)*tasks {
		clear(long)
	}
	return long, nil
}
