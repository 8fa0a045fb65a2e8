package page

import (
	"github.com/poolbench/poolbench/internal/metric"
)

var insideColumns = []Column{
	{Head: "scheduling p99", Unit: metric.P99Sched,
		Hint: "time for which a ready goroutine waited until it ran"},
	{Head: "per task", Unit: metric.SchedPerOp, Hint: "sum of these waits"},
	{Head: "runnable", Unit: metric.MeanRunnableGoroutines,
		Hint: "mean number of ready goroutines that did not run"},
	{Head: "at most", Unit: metric.MaxRunnableGoroutines},
	{Head: "waiting", Unit: metric.MeanWaitingGoroutines,
		Hint: "blocked goroutines, mean"},
	{Head: "on locks", Unit: metric.MutexWaitPerOp,
		Hint: "time that goroutines were blocked on locks, per task"},
	{Head: "GC cycles", Unit: metric.GCCycles},
	{Head: "GC share", Unit: metric.GCCPU,
		Hint: "of the program's CPU time"},
	{Head: "GC assist", Unit: metric.GCAssistPerOp, show: above0,
		Hint: "CPU time per task that allocating goroutines spent marking"},
	{Head: "longest pause", Unit: metric.MaxGCPause, show: above0},
	{Head: "heap", Unit: metric.MaxHeap, Hint: "largest size, including stacks"},
	{Head: "per task in flight", Unit: metric.HeapPerInflight,
		Hint: "growth of live objects and stacks"},
	{Head: "run queue", Unit: metric.RunqueuePerOp,
		Hint: "time that threads were ready and had no processor, per task"},
	{Head: "switches", Unit: metric.VoluntarySwitches,
		Hint: "voluntary context switches, per task"},
	{Head: "involuntary", Unit: metric.InvoluntarySwitches},
	{Head: "page faults", Unit: metric.PageFaults, Hint: "per task"},
	{Head: "steal", Unit: metric.CPUSteal, show: above0,
		Hint: "share of CPU time that the host gave to other guests"},
}

// inside returns nil for studies, which have too many runs.
func inside(g *Group) *Table {
	if g.Study >= 0 || !hasMetric(g.Cells, metric.SchedPerOp) {
		return nil
	}
	t := &Table{Caption: "Go runtime and operating system", Folded: true, Of: g.Varies()}
	fill(g, t, shownColumns(g, insideColumns))
	return t
}
