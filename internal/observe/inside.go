package observe

import (
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
)

func (o *Run) ReportRuntime(r *result.Result, tasks int) {
	n := float64(tasks)
	if s := o.Seen.Runtime; s != nil {
		o.reportGoroutines(r, s, n)
		reportCollector(r, s, n)
		r.Add(metric.MaxHeap, s.Heap.Most)
		if s.Cycles > 0 && o.Peak > 0 {
			r.Add(metric.HeapPerInflight, (s.Live.Most-s.Live.First)/float64(o.Peak))
		}
	}
	if o.Seen.Queued >= 0 && o.Seen.Pressure.Waiting >= 0 {
		r.Add(metric.RunqueuePerOp, o.Seen.Queued/n)
	}
	if u := o.Seen.Usage; u.CPU > 0 {
		r.Add(metric.VoluntarySwitches, float64(u.Voluntary)/n)
		r.Add(metric.InvoluntarySwitches, float64(u.Involuntary)/n)
		if u.MinorFaults >= 0 {
			r.Add(metric.PageFaults, float64(u.MinorFaults)/n)
			r.Add(metric.MajorFaults, float64(u.MajorFaults)/n)
		}
	}
}

func (o *Run) reportGoroutines(r *result.Result, s *machine.RuntimeStats, n float64) {
	for _, q := range metric.Quantiles {
		if q.Main && statistics.Resolvable(q.P, int(s.Scheduling.Count)) {
			r.Add(q.Unit("sched"), s.Scheduling.Quantile(q.P).Seconds())
		}
	}
	r.Add(metric.SchedPerOp, s.SchedulingSeconds()/n)
	r.Add(metric.MeanRunnableGoroutines, s.Runnable.Mean)
	r.Add(metric.MaxRunnableGoroutines, s.Runnable.Most)
	r.Add(metric.MeanWaitingGoroutines, s.Waiting.Mean)
	r.Add(metric.MaxWaitingGoroutines, s.Waiting.Most)
	r.Add(metric.MutexWaitPerOp, s.Mutex/n)
}

func reportCollector(r *result.Result, s *machine.RuntimeStats, n float64) {
	r.Add(metric.GCCycles, s.Cycles)
	r.Add(metric.GCCPU, s.GC)
	r.Add(metric.GCAssistPerOp, s.Assist/n)
	r.Add(metric.GCPause, s.Pauses.Sum())
	r.Add(metric.MaxGCPause, s.Pauses.Quantile(1).Seconds())
}
