package observe

import (
	"slices"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
)

// stageTasks is a stage with its measured tasks: due after its begin and up to its end, since a
// task represents the gap before it.
type stageTasks struct {
	arrivals.Stage
	begin, end int64
	from       int64
	first, n   int
	backlog    int
}

func (o *Run) stretches(first int) (all []stageTasks) {
	stages := o.Plan.Arrival.Stages()
	if len(stages) < 2 || o.Trace.Len() == 0 {
		return nil
	}
	over := int64(o.Plan.Duration)
	if over == 0 {
		over = o.Trace.At(o.Trace.Len() - 1).Due
	}
	begin, i := int64(0), first
	for _, stage := range stages {
		s := stageTasks{Stage: stage, begin: begin, end: min(begin+int64(stage.For), over), first: i}
		if begin >= over {
			break
		}
		s.from = begin
		if i == first && first > 0 {
			s.from = min(max(begin, o.Trace.At(first-1).Due), s.end)
		}
		for ; i < o.Trace.Len() && o.Trace.At(i).Due <= s.end; i++ {
			s.n++
		}
		all, begin = append(all, s), begin+int64(stage.For)
	}
	for _, rec := range o.Trace.From(0) {
		for k := range all {
			if s := &all[k]; rec.Due <= s.end &&
				(rec.End > s.end || rec.Outcome == record.Unsettled) {
				s.backlog++
			}
		}
	}
	return all
}

func (o *Run) ReportStages(r *result.Result, first int) {
	all := o.stretches(first)
	for k, s := range all {
		add := func(unit string, value float64) { r.Add(metric.OfStage(k+1, unit), value) }
		if s.n > 0 && s.end > s.from {
			o.reportStage(r, k+1, s, add)
		}
		add(metric.BacklogTasks, float64(s.backlog))
		if k == 0 || all[k-1].Mean() <= all[0].Mean() || s.Mean() > all[0].Mean() {
			continue
		}
		after, recovered, known := o.recovery(all[0], s)
		switch {
		case !known:
		case recovered:
			add(metric.Recovered, 1)
			add(metric.Recovery, float64(after)/Second)
		default:
			add(metric.Recovered, 0)
		}
	}
}

func (o *Run) reportStage(
	r *result.Result, stage int, s stageTasks, add func(unit string, value float64),
) {
	var m Totals
	var responses []int64
	for i := s.first; i < s.first+s.n; i++ {
		rec := o.Trace.At(i)
		m.Count(rec, int64(o.Plan.Deadline))
		if rec.Outcome == record.Completed {
			responses = append(responses, rec.Response())
		}
	}
	length, n := float64(s.end-s.from)/Second, float64(s.n)
	add(metric.Offered, n/length)
	add(metric.Goodput, float64(m.inTime)/length)
	addResponses(r, metric.OfStage(stage, ""), responses)
	for _, q := range metric.Quantiles {
		if q.Main && q.P < 0.99 && statistics.Resolvable(q.P, len(responses)) {
			add(q.Unit(metric.Response),
				float64(statistics.NearestRanks(nil, responses, q.P)[0])/Second)
		}
	}
	if o.Recorded {
		slices.Sort(responses)
		result.EachDue(s.n, len(responses), metric.Response,
			func(rank int) int64 { return responses[rank-1] }, func(unit string, v float64) {
				if unit == decide.Due+metric.P99Response {
					add(unit, v)
				}
			})
	}
	if m.started > 0 {
		add(metric.Attempts, float64(m.attempts)/float64(m.started))
	}
	add(metric.Shed, float64(m.outcomes[record.Shed])/n)
	add(metric.Failed, float64(m.outcomes[record.Failed]+m.outcomes[record.Throttled]+
		m.outcomes[record.Abandoned])/n)
	if o.Plan.Patience != nil {
		add(metric.GaveUp, float64(m.outcomes[record.GaveUp])/n)
	}
}

// A task is slow if its response is above the p95 of the first stage, or if it was not completed. A
// window contains a tenth of the first stage's tasks. The response has recovered at the begin of
// the first window with at most 10 % slow tasks. A later window with more than 50 % slow tasks
// cancels the recovery.
const (
	slowQuantile = 0.95
	slowBefore   = 0.1
	slowAgain    = 0.5
	minWindow    = 20
)

// after is the time in ns from the stage's begin. known is false if a stage has too few tasks.
func (o *Run) recovery(before, s stageTasks) (after int64, recovered, known bool) {
	var responses []int64
	for i := before.first; i < before.first+before.n; i++ {
		if rec := o.Trace.At(i); rec.Outcome == record.Completed {
			responses = append(responses, rec.Response())
		}
	}
	window := len(responses) / 10
	if window < minWindow || s.n < window {
		return 0, false, false
	}
	slices.Sort(responses)
	limit := responses[statistics.Rank(len(responses), slowQuantile)-1]
	slow := func(i int) int {
		if rec := o.Trace.At(i); rec.Outcome == record.Completed && rec.Response() <= limit {
			return 0
		}
		return 1
	}
	count := 0
	for i := s.first; i < s.first+s.n; i++ {
		if count += slow(i); i-s.first < window-1 {
			continue
		}
		at := i - window + 1
		switch {
		case !recovered && float64(count) <= slowBefore*float64(window):
			recovered, after = true, 0
			from := at
			for slow(from) == 1 { // the window may begin with the last slow tasks
				from++
			}
			if from > s.first {
				after = o.Trace.At(from).Due - s.begin
			}
		case recovered && float64(count) > slowAgain*float64(window):
			recovered = false
		}
		count -= slow(at)
	}
	return after, recovered, true
}
