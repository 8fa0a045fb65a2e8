package bench

import (
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/strategies"
)

// mostFound is the largest limit for which it is reported how many places short tasks find held by
// long ones: a number for each.
const mostFound = 8

// reportFound adds, where the workload tells short tasks from long ones, what share of the short
// ones find so many places held by long ones when they are due, and how long these wait. It is why
// variance costs what it does: the wait is that of the few who find all places held.
//
// A task holds its place from start to end, so nothing is said of strategies under which it gives
// the place back in between.
func (o *observation) reportFound(r *Result, first int) {
	limit, spec := o.bound(), o.scenario.Strategy.Spec
	if limit == 0 || limit > mostFound || spec.Quantum != nil || spec.Retries {
		return
	}
	var starts, ends []int64
	for i := range o.trace.n {
		if rec := o.trace.at(i); rec.class == strategies.Long && rec.attempts > 0 {
			starts, ends = append(starts, rec.start), append(ends, rec.end)
		}
	}
	if len(starts) == 0 {
		return
	}
	slices.Sort(starts)
	slices.Sort(ends)
	found, wait := make([]int, limit+1), make([]float64, limit+1)
	shorts, begun, over := 0, 0, 0
	for i := range o.trace.n { // in the order of the due times
		rec := o.trace.at(i)
		for begun < len(starts) && starts[begun] < rec.due {
			begun++
		}
		for over < len(ends) && ends[over] < rec.due {
			over++
		}
		if i < first || rec.class != strategies.Short || rec.outcome != completed ||
			begun-over > limit {
			continue
		}
		shorts++
		found[begun-over]++
		wait[begun-over] += float64(rec.wait())
	}
	for j := range found {
		if shorts > 0 {
			r.add(fmt.Sprintf("found-%d-long/op", j), float64(found[j])/float64(shorts))
		}
		if found[j] > 0 {
			r.add(fmt.Sprintf("found-%d-long-wait-sec", j), wait[j]/float64(found[j])/second)
		}
	}
}
