package traces

import (
	"fmt"
	"slices"
)

// leastRatio is how many times as long as the others tasks are at least that are called long:
// classes by which tasks do not differ are none for a strategy.
const leastRatio = 2

// Long says of each class of the trace whether its tasks are long: those of the class of that name,
// or, where it is "", those of the classes whose mean duration in the window is above that of all
// tasks, provided that they take twice as long as the others. Strategies keep two classes apart,
// and a file may have many.
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
	if others := float64(len(p.records)) - tasks; work*others < leastRatio*(sum-work)*tasks {
		clear(long)
	}
	return long, nil
}
