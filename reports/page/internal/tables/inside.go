package tables

import (
	"github.com/poolbench/poolbench/reports/page/internal/grid"
)

// insideColumns are what Go's runtime and the system said of runs.
var insideColumns = []Column{
	{Head: "scheduling p99", Unit: "p99-sched-sec",
		Hint: "how long a goroutine that was ready waited until it ran"},
	{Head: "per task", Unit: "sched-sec/op", Hint: "the sum of that"},
	{Head: "runnable", Unit: "mean-runnable-goroutines",
		Hint: "goroutines that were ready and did not run, mean"},
	{Head: "at most", Unit: "max-runnable-goroutines"},
	{Head: "waiting", Unit: "mean-waiting-goroutines",
		Hint: "blocked goroutines, mean"},
	{Head: "on locks", Unit: "mutex-wait-sec/op",
		Hint: "time that goroutines were blocked on locks, per task"},
	{Head: "GC cycles", Unit: "gc-cycles"},
	{Head: "GC share", Unit: "gc-cpu",
		Hint: "of the program's CPU time"},
	{Head: "GC assist", Unit: "gc-assist-sec/op", show: above0,
		Hint: "CPU time per task that allocating goroutines spent marking"},
	{Head: "longest pause", Unit: "max-gc-pause-sec", show: above0},
	{Head: "heap", Unit: "max-heap-B", Hint: "with stacks, at most"},
	{Head: "per task in flight", Unit: "heap-B/inflight",
		Hint: "growth of live objects and stacks"},
	{Head: "run queue", Unit: "runqueue-sec/op",
		Hint: "time that threads were ready and had no processor, per task"},
	{Head: "switches", Unit: "voluntary-switches/op",
		Hint: "voluntary context switches, per task"},
	{Head: "involuntary", Unit: "involuntary-switches/op"},
	{Head: "page faults", Unit: "page-faults/op", Hint: "per task"},
	{Head: "steal", Unit: "cpu-steal", show: above0,
		Hint: "share of CPU time that the host gave to other guests"},
}

// Inside makes the table of what the runtime and the system said; nil where the file does not
// tell, and in studies, which have hundreds of runs.
func Inside(g *grid.Group) *Table {
	if g.Study >= 0 || !grid.HasMetric(g.Cells, "sched-sec/op") {
		return nil
	}
	t := &Table{Caption: "What Go's runtime and the operating system did", Folded: true, Of: g.Of()}
	fill(g, t, shown(g, insideColumns))
	return t
}
