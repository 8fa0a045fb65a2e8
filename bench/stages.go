package bench

import (
	"fmt"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/records"
	"github.com/poolbench/poolbench/internal/statistics/samples"
)

// lengthOf is how long the stages take.
func lengthOf(stages []arrivals.Stage) (total time.Duration) {
	for _, s := range stages {
		total += s.For
	}
	return total
}

// tasksOf is how many tasks the stages have in the mean, at that rate of the scenario; 0 where they
// settle it themselves.
func tasksOf(stages []arrivals.Stage, rate float64) (n float64) {
	if rate == 0 {
		rate = 1
	}
	for _, s := range stages {
		n += s.Level * rate * s.For.Seconds()
	}
	return n
}

// stageMetrics are what a run reports of each stage of its arrivals, in that order.
var stageMetrics = []MetricInfo{
	{"offered-ops/s", "", "tasks due in the stage, per second"},
	{"goodput-ops/s", "higher", "of them, those completed within the deadline, per second"},
	{"mean-response-sec", "lower", "their mean response"},
	{"p99-response-sec", "lower", "their p99 response; absent where the tasks are too few"},
	{"attempts/op", "lower", "attempts per task that was started"},
	{"shed/op", "lower", "share of them that the strategy refused"},
	{"failed/op", "lower", "share of them that failed, were throttled or were abandoned"},
	{"backlog-tasks", "lower", "tasks in the system when the stage ends, of those of earlier " +
		"stages too"},
	{"recovered", "higher", "whether the response is, by the end of the stage, what it was in " +
		"the first one: 1 or 0; absent unless the stage follows one of more load than the first, " +
		"and has no more itself"},
	{"recovery-sec", "lower", "how long after its begin it is; absent where it never is"},
}

// StageMetrics documents the units that a run reports of one stage of its arrivals, from 1:
// stage2-p99-response-sec and so on. Only runs in stages have them.
func StageMetrics(stage int) []MetricInfo {
	all := slices.Clone(stageMetrics)
	for i := range all {
		all[i].Unit = ofStage(stage, all[i].Unit)
	}
	return all
}

func ofStage(stage int, unit string) string { return fmt.Sprintf("stage%d-%s", stage, unit) }

// A stretch is a stage with the tasks that are due in it and that count: due after its begin, and
// up to its end, since a task stands for the gap before it.
type stretch struct {
	arrivals.Stage
	begin, end int64
	from       int64 // when the warm-up is over
	first, n   int   // of the trace
	backlog    int
}

// stretches are the stages that the plan reaches.
func (o *observation) stretches(first int) (all []stretch) {
	stages := o.plan.Arrival.Stages()
	if len(stages) < 2 || o.trace.Len() == 0 {
		return nil
	}
	over := int64(o.plan.Duration)
	if over == 0 {
		over = o.trace.At(o.trace.Len() - 1).Due
	}
	begin, i := int64(0), first
	for _, stage := range stages {
		s := stretch{Stage: stage, begin: begin, end: min(begin+int64(stage.For), over), first: i}
		if begin >= over {
			break
		}
		s.from = begin
		if i == first && first > 0 {
			s.from = min(max(begin, o.trace.At(first-1).Due), s.end)
		}
		for ; i < o.trace.Len() && o.trace.At(i).Due <= s.end; i++ {
			s.n++
		}
		all, begin = append(all, s), begin+int64(stage.For)
	}
	for i := range o.trace.Len() {
		rec := o.trace.At(i)
		for k := range all {
			if s := &all[k]; rec.Due <= s.end &&
				(rec.End > s.end || rec.Outcome == records.Unsettled) {
				s.backlog++
			}
		}
	}
	return all
}

// reportStages adds what each stage comes to.
func (o *observation) reportStages(r *Result, first int) {
	all := o.stretches(first)
	for k, s := range all {
		add := func(unit string, value float64) { r.add(ofStage(k+1, unit), value) }
		if s.n > 0 && s.end > s.from {
			o.reportStage(s, add)
		}
		add("backlog-tasks", float64(s.backlog))
		if k == 0 || all[k-1].Level <= all[0].Level || s.Level > all[0].Level {
			continue
		}
		after, recovered, known := o.recovery(all[0], s)
		switch {
		case !known:
		case recovered:
			add("recovered", 1)
			add("recovery-sec", float64(after)/second)
		default:
			add("recovered", 0)
		}
	}
}

func (o *observation) reportStage(s stretch, add func(unit string, value float64)) {
	var m measured
	var responses []int64
	sum := 0.0
	for i := s.first; i < s.first+s.n; i++ {
		rec := o.trace.At(i)
		m.count(rec, int64(o.plan.Deadline))
		if rec.Outcome == records.Completed {
			responses = append(responses, rec.Response())
			sum += float64(rec.Response())
		}
	}
	length, n := float64(s.end-s.from)/second, float64(s.n)
	add("offered-ops/s", n/length)
	add("goodput-ops/s", float64(m.inTime)/length)
	if done := len(responses); done > 0 {
		slices.Sort(responses)
		add("mean-response-sec", sum/float64(done)/second)
		if samples.Resolvable(0.99, done) {
			add("p99-response-sec", float64(responses[samples.Rank(done, 0.99)-1])/second)
		}
	}
	if m.started > 0 {
		add("attempts/op", float64(m.attempts)/float64(m.started))
	}
	add("shed/op", float64(m.outcomes[records.Shed])/n)
	add("failed/op", float64(m.outcomes[records.Failed]+m.outcomes[records.Throttled]+
		m.outcomes[records.Abandoned])/n)
}

// What recovery is. A task is slow whose response is above the p95 of the first stage, or that was
// not completed: one in twenty is before the pulse. The response is as before at the begin of a
// window, as many tasks as a tenth of the first stage has, of which one in ten at most is slow. It
// is lost again, which sets the clock on until the next such window, when more than half of a
// window are slow: what is between the two is neither.
const (
	slowQuantile = 0.95
	slowBefore   = 0.1
	slowAgain    = 0.5
	leastWindow  = 20
)

// recovery is how long after its begin the response of the stage is, for good, what it was in the
// first one; known is false where that one has too few tasks to say.
func (o *observation) recovery(before, s stretch) (after int64, recovered, known bool) {
	var responses []int64
	for i := before.first; i < before.first+before.n; i++ {
		if rec := o.trace.At(i); rec.Outcome == records.Completed {
			responses = append(responses, rec.Response())
		}
	}
	window := len(responses) / 10
	if window < leastWindow || s.n < window {
		return 0, false, false
	}
	slices.Sort(responses)
	limit := responses[samples.Rank(len(responses), slowQuantile)-1]
	slow := func(i int) int {
		if rec := o.trace.At(i); rec.Outcome == records.Completed && rec.Response() <= limit {
			return 0
		}
		return 1
	}
	count := 0
	for i := s.first; i < s.first+s.n; i++ {
		if count += slow(i); i-s.first < window-1 {
			continue
		}
		at := i - window + 1 // where the window begins
		switch {
		case !recovered && float64(count) <= slowBefore*float64(window):
			recovered, after = true, 0
			from := at
			for slow(from) == 1 { // the window may begin with the last of the slow ones
				from++
			}
			if from > s.first {
				after = o.trace.At(from).Due - s.begin
			}
		case recovered && float64(count) > slowAgain*float64(window):
			recovered = false
		}
		count -= slow(at)
	}
	return after, recovered, true
}
