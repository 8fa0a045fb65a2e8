package bench

import (
	"github.com/poolbench/poolbench/internal/machine/goruntime"
	"github.com/poolbench/poolbench/internal/statistics/samples"
)

// ofRuntime documents what Go's runtime and the system say of a run. None has a direction: they
// are evidence of a cause, and no gate judges them.
var ofRuntime = []MetricInfo{
	{"p50-sched-sec", "", "how long a goroutine that was ready waited until it ran: median of " +
		"the one in eight that the runtime times, to 12 % (real clock)"},
	{"p99-sched-sec", "", "p99 of the same"},
	{"sched-sec/op", "", "sum of the same per task, the harness's goroutines included"},
	{"mean-runnable-goroutines", "", "goroutines that were ready and did not run, on average of " +
		"the instants at which the hiccup meter woke (real clock)"},
	{"max-runnable-goroutines", "", "most of them that it saw"},
	{"mean-waiting-goroutines", "", "goroutines that waited for something, likewise"},
	{"max-waiting-goroutines", "", "most of them that it saw"},
	{"mutex-wait-sec/op", "", "time that goroutines were blocked on locks per task: estimated " +
		"by the runtime from one wait in eight (real clock)"},
	{"gc-cycles", "", "cycles of the garbage collector that ended in the run (real clock)"},
	{"gc-cpu", "", "share of the program's CPU time that marking took, by the runtime's account " +
		"up to the last of these cycles"},
	{"gc-assist-sec/op", "", "CPU time per task in which goroutines that allocated had to mark, " +
		"in these cycles"},
	{"gc-pause-sec", "", "time that these cycles stopped the whole program, together, to 12 %"},
	{"max-gc-pause-sec", "", "longest such stop, to 12 %"},
	{"max-heap-B", "", "most bytes of objects, dead ones included, and of stacks that the meter " +
		"saw (real clock)"},
	{"heap-B/inflight", "", "growth of what is alive and of stacks, by the end of a cycle, over " +
		"the peak in flight; absent without a cycle"},
	{"runqueue-sec/op", "", "time that threads of the process were ready and had no processor, " +
		"per task (real clock, Linux)"},
	{"voluntary-switches/op", "", "switches per task of a thread that had to wait (real clock)"},
	{"involuntary-switches/op", "", "switches per task of a thread that would have run on"},
	{"page-faults/op", "", "page faults per task without a read from a disk (real clock)"},
	{"major-faults/op", "", "page faults per task with one"},
}

// reportRuntime adds what Go's runtime and the system said of so many tasks.
func (o *observation) reportRuntime(r *Result, tasks int) {
	n := float64(tasks)
	if s := o.seen.Runtime; s != nil {
		o.reportGoroutines(r, s, n)
		reportCollector(r, s, n)
		r.add("max-heap-B", s.Heap.Most)
		if s.Cycles > 0 && o.peak > 0 {
			r.add("heap-B/inflight", (s.Live.Most-s.Live.First)/float64(o.peak))
		}
	}
	if o.seen.Queued >= 0 && o.seen.Pressure.Waiting >= 0 {
		r.add("runqueue-sec/op", o.seen.Queued/n)
	}
	if u := o.seen.Usage; u.CPU > 0 {
		r.add("voluntary-switches/op", float64(u.Voluntary)/n)
		r.add("involuntary-switches/op", float64(u.Involuntary)/n)
		if u.MinorFaults >= 0 {
			r.add("page-faults/op", float64(u.MinorFaults)/n)
			r.add("major-faults/op", float64(u.MajorFaults)/n)
		}
	}
}

func (o *observation) reportGoroutines(r *Result, s *goruntime.Seen, n float64) {
	for _, q := range quantiles {
		if (q.name == "p50" || q.name == "p99") &&
			samples.Resolvable(q.p, int(s.Scheduling.Count)) {
			r.add(q.name+"-sched-sec", s.Scheduling.Quantile(q.p).Seconds())
		}
	}
	r.add("sched-sec/op", s.SchedulingSeconds()/n)
	r.add("mean-runnable-goroutines", s.Runnable.Mean)
	r.add("max-runnable-goroutines", s.Runnable.Most)
	r.add("mean-waiting-goroutines", s.Waiting.Mean)
	r.add("max-waiting-goroutines", s.Waiting.Most)
	r.add("mutex-wait-sec/op", s.Mutex/n)
}

func reportCollector(r *Result, s *goruntime.Seen, n float64) {
	r.add("gc-cycles", s.Cycles)
	r.add("gc-cpu", s.GC)
	r.add("gc-assist-sec/op", s.Assist/n)
	r.add("gc-pause-sec", s.Pauses.Sum())
	r.add("max-gc-pause-sec", s.Pauses.Quantile(1).Seconds())
}
