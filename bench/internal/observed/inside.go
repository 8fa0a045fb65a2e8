package observed

import (
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine/goruntime"
	"github.com/poolbench/poolbench/internal/statistics/samples"
)

// ReportRuntime adds what Go's runtime and the system said of so many tasks.
func (o *Run) ReportRuntime(r *result.Result, tasks int) {
	n := float64(tasks)
	if s := o.Seen.Runtime; s != nil {
		o.reportGoroutines(r, s, n)
		reportCollector(r, s, n)
		r.Add("max-heap-B", s.Heap.Most)
		if s.Cycles > 0 && o.Peak > 0 {
			r.Add("heap-B/inflight", (s.Live.Most-s.Live.First)/float64(o.Peak))
		}
	}
	if o.Seen.Queued >= 0 && o.Seen.Pressure.Waiting >= 0 {
		r.Add("runqueue-sec/op", o.Seen.Queued/n)
	}
	if u := o.Seen.Usage; u.CPU > 0 {
		r.Add("voluntary-switches/op", float64(u.Voluntary)/n)
		r.Add("involuntary-switches/op", float64(u.Involuntary)/n)
		if u.MinorFaults >= 0 {
			r.Add("page-faults/op", float64(u.MinorFaults)/n)
			r.Add("major-faults/op", float64(u.MajorFaults)/n)
		}
	}
}

func (o *Run) reportGoroutines(r *result.Result, s *goruntime.Seen, n float64) {
	for _, q := range result.Quantiles {
		if (q.Name == "p50" || q.Name == "p99") &&
			samples.Resolvable(q.P, int(s.Scheduling.Count)) {
			r.Add(q.Name+"-sched-sec", s.Scheduling.Quantile(q.P).Seconds())
		}
	}
	r.Add("sched-sec/op", s.SchedulingSeconds()/n)
	r.Add("mean-runnable-goroutines", s.Runnable.Mean)
	r.Add("max-runnable-goroutines", s.Runnable.Most)
	r.Add("mean-waiting-goroutines", s.Waiting.Mean)
	r.Add("max-waiting-goroutines", s.Waiting.Most)
	r.Add("mutex-wait-sec/op", s.Mutex/n)
}

func reportCollector(r *result.Result, s *goruntime.Seen, n float64) {
	r.Add("gc-cycles", s.Cycles)
	r.Add("gc-cpu", s.GC)
	r.Add("gc-assist-sec/op", s.Assist/n)
	r.Add("gc-pause-sec", s.Pauses.Sum())
	r.Add("max-gc-pause-sec", s.Pauses.Quantile(1).Seconds())
}
