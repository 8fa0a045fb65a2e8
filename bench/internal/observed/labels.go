package observed

import (
	"fmt"

	"github.com/poolbench/poolbench/bench/records"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/statistics/samples"
	"github.com/poolbench/poolbench/workloads"
)

// reportLabels adds what is told apart by what tasks say of themselves: of each priority, of each
// tenant, and of deadlines. That is a function of a task's number, which records of a closed loop
// do not tell.
func (o *Run) reportLabels(r *result.Result, first int, scratch []int64) {
	if o.Plan.Arrival.IsClosed() {
		return
	}
	if w, ok := o.Workload.(workloads.Prioritised); ok {
		of := o.labelled(w.Priority)
		for priority := int32(workloads.MostLabels - 1); priority >= 0; priority-- {
			name := fmt.Sprintf("priority-%d-", priority)
			only := func(i int) bool { return of[i] == priority }
			if waits := o.timesWhere(first, scratch, (*records.Record).Wait, only); len(waits) > 0 {
				r.Add(name+"mean-wait-sec", meanOf(waits))
			}
			o.reportResponse(r, name, first, scratch, only)
		}
	}
	if w, ok := o.Workload.(workloads.Tenanted); ok {
		o.reportTenants(r, first, scratch, o.labelled(w.Tenant))
	}
	if w, ok := o.Workload.(workloads.Dated); ok {
		o.reportDeadlines(r, first, w)
	}
}

// labelled are the labels of all tasks.
func (o *Run) labelled(label func(seq uint64) int32) []int32 {
	of := make([]int32, o.Trace.Len())
	for i := range of {
		of[i] = label(uint64(i))
	}
	return of
}

// timesWhere are the times of those measured tasks that completed and are wanted, in the memory of
// scratch.
func (o *Run) timesWhere(
	first int, scratch []int64, time func(*records.Record) int64, wanted func(i int) bool,
) []int64 {
	values := scratch[:0]
	for i := first; i < o.Trace.Len(); i++ {
		if rec := o.Trace.At(i); rec.Outcome == records.Completed && wanted(i) {
			values = append(values, time(rec))
		}
	}
	return values
}

// reportTenants says how much worse one tenant was served than another, and what the noisy one, the
// one with the most tasks, took from the others.
func (o *Run) reportTenants(r *result.Result, first int, scratch []int64, of []int32) {
	for tenant := range int32(workloads.MostLabels) {
		o.reportResponse(r, fmt.Sprintf("tenant-%d-", tenant), first, scratch,
			func(i int) bool { return of[i] == tenant })
	}
	type sums struct {
		tasks, completed int
		response, busy   float64
	}
	all := map[int32]*sums{}
	busy, last := 0.0, o.Trace.At(o.Trace.Len()-1).Due
	for i := first; i < o.Trace.Len(); i++ {
		s, rec := all[of[i]], o.Trace.At(i)
		if s == nil {
			s = new(sums)
			all[of[i]] = s
		}
		s.tasks++
		if rec.Outcome == records.Completed {
			s.completed++
			s.response += float64(rec.Response())
		}
		if rec.Attempts > 0 && rec.Start <= last {
			s.busy += float64(rec.Busy)
			busy += float64(rec.Busy)
		}
	}
	noisy := of[first]
	sum, squares := 0.0, 0.0
	for tenant, s := range all {
		most := all[noisy]
		if s.tasks > most.tasks || s.tasks == most.tasks && tenant < noisy {
			noisy = tenant
		}
		if s.completed > 0 && s.response > 0 {
			speed := float64(s.completed) / s.response
			sum += speed
			squares += speed * speed
		}
	}
	if squares > 0 {
		r.Add("fairness", sum*sum/(float64(len(all))*squares))
	}
	if busy > 0 {
		r.Add("noisy-share", all[noisy].busy/busy)
	}
	o.reportResponse(r, "others-", first, scratch, func(i int) bool { return of[i] != noisy })
}

// reportResponse adds mean and p99 of the response of those that are wanted.
func (o *Run) reportResponse(
	r *result.Result, name string, first int, scratch []int64, wanted func(i int) bool,
) {
	values := o.timesWhere(first, scratch, (*records.Record).Response, wanted)
	if len(values) == 0 {
		return
	}
	r.Add(name+"mean-response-sec", meanOf(values))
	if samples.Resolvable(0.99, len(values)) {
		r.Add(name+"p99-response-sec",
			float64(samples.NearestRanks(nil, values, 0.99)[0])/Second)
	}
}

// reportDeadlines adds how many were missed, and how late the latest was.
func (o *Run) reportDeadlines(r *result.Result, first int, w workloads.Dated) {
	dated, missed, completed := 0, 0, 0
	worst := int64(0)
	for i := first; i < o.Trace.Len(); i++ {
		allowance := int64(w.Allowance(uint64(i)))
		if allowance == 0 {
			continue
		}
		dated++
		rec := o.Trace.At(i)
		if rec.Outcome != records.Completed {
			missed++
			continue
		}
		late := rec.Response() - allowance
		if late > 0 {
			missed++
		}
		if completed++; completed == 1 || late > worst {
			worst = late
		}
	}
	if dated > 0 {
		r.Add("missed/op", float64(missed)/float64(dated))
	}
	if completed > 0 {
		r.Add("max-lateness-sec", float64(worst)/Second)
	}
}

// meanOf is the mean in seconds.
func meanOf(values []int64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += float64(v)
	}
	return sum / float64(len(values)) / Second
}
