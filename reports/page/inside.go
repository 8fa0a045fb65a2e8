package page

// insideColumns are what Go's runtime and the system said of runs.
var insideColumns = []column{
	{head: "scheduling p99", unit: "p99-sched-sec",
		hint: "how long a goroutine that was ready waited until it ran"},
	{head: "per task", unit: "sched-sec/op", hint: "the sum of that"},
	{head: "runnable", unit: "mean-runnable-goroutines",
		hint: "goroutines that were ready and did not run, mean"},
	{head: "at most", unit: "max-runnable-goroutines"},
	{head: "waiting", unit: "mean-waiting-goroutines",
		hint: "goroutines that waited for something, mean"},
	{head: "on locks", unit: "mutex-wait-sec/op",
		hint: "time that goroutines were blocked on locks, per task"},
	{head: "GC cycles", unit: "gc-cycles"},
	{head: "GC share", unit: "gc-cpu",
		hint: "of the program's CPU time"},
	{head: "GC assist", unit: "gc-assist-sec/op", show: above0,
		hint: "CPU time per task of goroutines that allocated and had to mark"},
	{head: "longest pause", unit: "max-gc-pause-sec", show: above0},
	{head: "heap", unit: "max-heap-B", hint: "with stacks, at most"},
	{head: "per task in flight", unit: "heap-B/inflight",
		hint: "growth of what is alive and of stacks"},
	{head: "run queue", unit: "runqueue-sec/op",
		hint: "time that threads were ready and had no processor, per task"},
	{head: "switches", unit: "voluntary-switches/op",
		hint: "of a thread that had to wait, per task"},
	{head: "involuntary", unit: "involuntary-switches/op"},
	{head: "page faults", unit: "page-faults/op", hint: "per task"},
	{head: "steal", unit: "cpu-steal", show: above0,
		hint: "share of the processors' time that the host gave to others"},
}

// inside makes the table of what the runtime and the system said; false where the file does not
// tell, and in studies, which have hundreds of runs.
func (g *reportGroup) inside() (reportTable, bool) {
	if g.study >= 0 || !hasMetric(g.cells, "sched-sec/op") {
		return reportTable{}, false
	}
	t := reportTable{Caption: "What Go's runtime and the system did", Folded: true, Of: g.of()}
	g.fill(&t, g.shown(insideColumns))
	return t, true
}
