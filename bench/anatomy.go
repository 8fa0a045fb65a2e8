package bench

import (
	"math"
	"runtime"

	"github.com/poolbench/poolbench/bench/records"
	"github.com/poolbench/poolbench/internal/statistics/recursion"
	"github.com/poolbench/poolbench/internal/statistics/samples"
	"github.com/poolbench/poolbench/workloads"
)

// responseParts are those that a response adds up from, in the order of a task's life, and at the
// end what the target has of the service.
var responseParts = [...]struct{ name, doc string }{
	{"lag", "the generator's own lateness"},
	{"held", "until the strategy took the task: in Submit, or behind a task that was"},
	{"queued", "from when the strategy took the task to its first start"},
	{"between",
		"from first start to end, outside of the task: back-off, turns of others, hand-over"},
	{"service", "inside the task"},
	{"target", "of the service, what the target took beside the work"},
}

// ofParts documents what responses are made of. But for the time held, none has a direction: they
// are evidence of a cause, and what a gate judges is the response itself.
func ofParts() (m []MetricInfo) {
	for _, p := range responseParts {
		better := ""
		if p.name == "held" {
			better = "lower"
		}
		if p.name != "service" { // which is one of the times
			m = append(m, MetricInfo{"mean-" + p.name + "-sec", better,
				"part of the mean response: " + p.doc})
		}
	}
	for _, p := range responseParts {
		m = append(m, MetricInfo{"tail-" + p.name + "-sec", "",
			"mean of that part in the slowest 1 %, the tasks that took the p99 or longer: " +
				p.doc},
			MetricInfo{"tail-" + p.name + "/op", "", "its share of the response of these tasks"})
	}
	return append(m, []MetricInfo{
		{"next-slot-mean-response-sec", "", "mean response with one slot more, by the path-wise " +
			"oracle on this run's own arrivals and services; absent where it does not apply"},
		{"next-slot-p99-response-sec", "", "p99 of the same"},
		{"even-mean-response-sec", "", "mean response if each task held its slot for the mean " +
			"service, likewise: what is less is due to long tasks before others"},
		{"even-p99-response-sec", "", "p99 of the same"},
	}...)
}

// isPartMean reports whether a unit is the mean of a part, which is of completed tasks.
func isPartMean(unit string) bool {
	for _, p := range responseParts {
		if unit == "mean-"+p.name+"-sec" {
			return true
		}
	}
	return false
}

// A partSums sums up the parts of completed tasks, in nanoseconds.
type partSums struct {
	n          int
	of         [len(responseParts)]float64
	impossible int // tasks with a part below 0, completed or not
}

// add adds a task, and returns its parts where they count.
func (s *partSums) add(r *records.Record, lag int64, counts bool) (p records.Parts, added bool) {
	if r.Outcome == records.Unsettled {
		return p, false
	}
	if p = r.Parts(lag); !p.Possible() || p.Response() != r.Response() {
		s.impossible++
	}
	if counts = counts && r.Outcome == records.Completed; counts {
		s.sum(p)
	}
	return p, counts
}

func (s *partSums) sum(p records.Parts) {
	s.n++
	for i, v := range [...]int64{p.Lag, p.Held, p.Queued, p.Between, p.Service, p.Target} {
		s.of[i] += float64(v)
	}
}

// reportMeans adds the mean of each part.
func (s *partSums) reportMeans(r *Result) {
	for i, p := range responseParts {
		if s.n > 0 && p.name != "service" {
			r.add("mean-"+p.name+"-sec", s.of[i]/float64(s.n)/second)
		}
	}
}

// reportTail adds the mean and the share of each part, of the slowest tasks.
func (s *partSums) reportTail(r *Result) {
	response := 0.0
	for i, p := range responseParts {
		if p.name != "target" {
			response += s.of[i]
		}
	}
	if s.n == 0 || response == 0 {
		return
	}
	for i, p := range responseParts {
		r.add("tail-"+p.name+"-sec", s.of[i]/float64(s.n)/second)
		r.add("tail-"+p.name+"/op", s.of[i]/response)
	}
}

// reportParts adds what the responses are made of, of all completed tasks and of those that took
// the p99 or longer, and the slowest tasks.
func (o *observation) reportParts(r *Result, first int) (all partSums) {
	p99, resolved := r.Metric("p99-response-sec")
	slow := int64(math.Round(p99 * second))
	var tail partSums
	var worst slowest
	longest := int64(0) // of all tasks, so that one that is due that much earlier has ended
	for i, lag := range o.trace.Lags() {
		rec := o.trace.At(i)
		if rec.Outcome == records.Unsettled {
			longest = forEver
		} else if longest = max(longest, rec.Response()); i >= first {
			worst.add(i, rec, lag)
		}
		p, added := all.add(rec, lag, i >= first)
		if added && resolved && rec.Response() >= slow {
			tail.sum(p)
		}
	}
	all.reportMeans(r)
	tail.reportTail(r)
	r.Slowest = worst.ended()
	o.find(r.Slowest, longest)
	return all
}

// reportOtherwise adds the responses as they would be with one slot more, and if each task held its
// slot for the mean service: where the oracle applies, all tasks share one pool, and neither the
// arrivals nor the services depend on how long others waited. What a response is made of beside its
// turn stays as it was.
func (o *observation) reportOtherwise(r *Result, first int, m measured, parts *partSums) {
	pools, _ := o.fifoPools()
	if len(pools) != 1 || o.recorded || o.plan.Arrival.IsClosed() ||
		m.started == 0 || m.started < m.n || m.outcomes[records.Abandoned] > 0 ||
		parts.of[len(responseParts)-1] > 0 {
		return
	}
	slots, mean := pools[0], m.busy/int64(m.started)
	wider := *o
	wider.plan.Params.Limit++
	// the limit gives it, which is not so of one loop, and it has a processor to work on
	known := wider.bound() == slots+1 && (slots < runtime.GOMAXPROCS(0) ||
		o.plan.Kind != workloads.CPU)
	was, next, even := recursion.NewSlots(slots), recursion.NewSlots(slots+1),
		recursion.NewSlots(slots)
	withNext, withEven := make([]int64, 0, m.n), make([]int64, 0, m.n)
	for i := range o.trace.Len() {
		rec := o.trace.At(i)
		if rec.Attempts != 1 {
			return
		}
		rest := rec.Response() - was.Take(rec.Due, rec.Busy)
		turn, evenTurn := next.Take(rec.Due, rec.Busy), even.Take(rec.Due, mean)
		if i >= first && rec.Outcome == records.Completed {
			withNext, withEven = append(withNext, rest+turn), append(withEven, rest+evenTurn)
		}
	}
	if known {
		r.addResponses("next-slot", withNext)
	}
	r.addResponses("even", withEven)
}

// addResponses adds the mean of responses and, where they are enough, the p99.
func (r *Result) addResponses(name string, responses []int64) {
	if len(responses) == 0 {
		return
	}
	sum := 0.0
	for _, v := range responses {
		sum += float64(v)
	}
	r.add(name+"-mean-response-sec", sum/float64(len(responses))/second)
	if samples.Resolvable(0.99, len(responses)) {
		r.add(name+"-p99-response-sec",
			float64(samples.NearestRanks(nil, responses, 0.99)[0])/second)
	}
}
