package observe

import (
	"math"
	"runtime"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/statistics/recursion"
	"github.com/poolbench/poolbench/workloads"
)

// ResponseParts are in chronological order and add up to a response. The last entry, the target, is
// contained in the service.
var ResponseParts = [...]struct {
	Part metric.Part
	Doc  string
}{
	{metric.PartLag, "the generator's own lateness"},
	{metric.PartBlocked, "until the strategy accepted the task: blocked in Submit, or behind " +
		"another task in Submit"},
	{metric.PartQueued, "from the acceptance of the task to its first start"},
	{metric.PartBetween,
		"from the first start to the end, outside the task: back-off, steps of other tasks, " +
			"hand-over"},
	{metric.PartService, "inside the task"},
	{metric.PartTarget, "part of the service time: the time in the target, without the work"},
}

func IsPartMean(unit string) bool {
	for _, p := range ResponseParts {
		if unit == p.Part.Mean() {
			return true
		}
	}
	return false
}

// PartSums are sums over completed tasks, in ns.
type PartSums struct {
	n          int
	of         [len(ResponseParts)]float64
	Impossible int
}

func (s *PartSums) Add(r *record.Record, lag int64, counts bool) (p record.Parts, added bool) {
	if r.Outcome == record.Unsettled {
		return p, false
	}
	if p = r.Parts(lag); !p.Possible() || p.Response() != r.Response() {
		s.Impossible++
	}
	if counts = counts && r.Outcome == record.Completed; counts {
		s.sum(&p)
	}
	return p, counts
}

func (s *PartSums) sum(p *record.Parts) {
	s.n++
	s.of[0] += float64(p.Lag)
	s.of[1] += float64(p.Blocked)
	s.of[2] += float64(p.Queued)
	s.of[3] += float64(p.Between)
	s.of[4] += float64(p.Service)
	s.of[5] += float64(p.Target)
}

func (s *PartSums) ReportMeans(r *result.Result) {
	for i, p := range ResponseParts {
		if s.n > 0 && p.Part != metric.PartService {
			r.Add(p.Part.Mean(), s.of[i]/float64(s.n)/Second)
		}
	}
}

func (s *PartSums) reportTail(r *result.Result) {
	response := 0.0
	for i, p := range ResponseParts {
		if p.Part != metric.PartTarget {
			response += s.of[i]
		}
	}
	if s.n == 0 || response == 0 {
		return
	}
	for i, p := range ResponseParts {
		r.Add(p.Part.Tail(), s.of[i]/float64(s.n)/Second)
		r.Add(p.Part.TailShare(), s.of[i]/response)
	}
}

// From the p99 response on, a task is one of the slowest 1 %.
func slowFrom(r *result.Result) int64 {
	p99, resolved := r.Metric(metric.P99Response)
	if !resolved {
		return math.MaxInt64
	}
	return int64(math.Round(p99 * Second))
}

// slotWaits excludes the generator's lag. even is the wait for a slot with equal services.
type slotWaits struct{ response, turn, even int64 }

func (t *slotWaits) add(rec *record.Record, lag, turn, even int64) {
	waited := max(rec.Wait()-lag, 0)
	t.response += rec.Response()
	t.turn += min(max(turn-lag, 0), waited)
	t.even += min(max(even-lag, 0), waited)
}

func (t *slotWaits) report(r *result.Result) {
	if t.response > 0 {
		r.Add(metric.TailTurnShare, float64(t.turn)/float64(t.response))
		r.Add(metric.TailEvenTurnShare, float64(t.even)/float64(t.response))
	}
}

func (o *Run) ReportParts(r *result.Result, first int) (all PartSums, err error) {
	slow := slowFrom(r)
	var tail PartSums
	var worst Slowest
	packer := o.taskPacker(r.Tasks)
	longest := int64(0)
	for i, lag := range o.Trace.Lags() {
		rec := o.Trace.At(i)
		if rec.Outcome == record.Unsettled {
			longest = neverEnds
		} else if longest = max(longest, rec.Response()); i >= first {
			worst.Add(i, rec, lag)
		}
		p, added := all.Add(rec, lag, i >= first)
		if packer != nil && i >= first {
			packer.Add(rec.Due, added,
				&rundir.Parts{p.Lag, p.Blocked, p.Queued, p.Between, p.Service})
		}
		if added && rec.Response() >= slow {
			tail.sum(&p)
		}
	}
	all.ReportMeans(r)
	tail.reportTail(r)
	r.Slowest = worst.Ended()
	o.countStates(r.Slowest, longest)
	if packer != nil {
		r.Responses, err = packer.Pack()
	}
	return all, err
}

// taskPacker returns nil unless another run with the same seed has the same tasks, and a directory
// can store them.
func (o *Run) taskPacker(tasks int) *rundir.TaskPacker {
	if o.Recorded || tasks > rundir.MaxResponses || o.Plan.Arrival.IsClosed() {
		return nil
	}
	return rundir.NewTaskPacker(tasks)
}

// ReportOtherwise adds the responses with one more slot and with equal services, or, if tasks call
// a target, without the time of calls. The oracle must apply, all tasks must share one pool, and
// arrivals must not depend on waits. The other parts of a response are assumed to be unchanged.
func (o *Run) ReportOtherwise(r *result.Result, first int, m Totals, parts *PartSums) {
	if starts := o.Plan.Strategy.Starts; starts != nil {
		r.Add(metric.Allowed, starts(o.Plan.Params).PerSecond)
	}
	pools, _ := o.FifoPools()
	if len(pools) != 1 || o.Recorded || o.Plan.Arrival.IsClosed() ||
		m.started == 0 || m.started < m.N || m.outcomes[record.Abandoned] > 0 ||
		m.outcomes[record.GaveUp] > 0 {
		return
	}
	if parts.of[len(ResponseParts)-1] > 0 {
		o.reportNoTarget(r, first, pools[0])
		return
	}
	slots, mean := pools[0], m.busy/int64(m.started)
	wider := *o
	wider.Plan.Params.Limit++
	known := wider.Bound() == slots+1 && (slots < runtime.GOMAXPROCS(0) ||
		o.Plan.Kind != workloads.CPU)
	was, next, even := recursion.NewSlots(slots), recursion.NewSlots(slots+1),
		recursion.NewSlots(slots)
	withNext, withEven := make([]int64, 0, m.N), make([]int64, 0, m.N)
	slow := slowFrom(r)
	var tail slotWaits
	for i, lag := range o.Trace.Lags() {
		rec := o.Trace.At(i)
		if rec.Attempts != 1 {
			return
		}
		start := was.Start(rec.Due, rec.Busy)
		nextStart, evenStart := next.Start(rec.Due, rec.Busy), even.Start(rec.Due, mean)
		if i < first || rec.Outcome != record.Completed {
			continue
		}
		rest := rec.Response() - start
		withNext, withEven = append(withNext, rest+nextStart), append(withEven, rest+evenStart)
		if rec.Response() >= slow {
			tail.add(rec, lag, start-rec.Due, evenStart-rec.Due)
		}
	}
	tail.report(r)
	if known {
		addResponses(r, metric.NextSlot, withNext)
	}
	addResponses(r, metric.Even, withEven)
}

func (o *Run) reportNoTarget(r *result.Result, first, slots int) {
	was, without := recursion.NewSlots(slots), recursion.NewSlots(slots)
	var responses []int64
	for i := range o.Trace.Len() {
		rec := o.Trace.At(i)
		if rec.Attempts != 1 {
			return
		}
		took := min(rec.Target, rec.Busy)
		sooner := was.Start(rec.Due, rec.Busy) - without.Start(rec.Due, rec.Busy-took)
		if i >= first && rec.Outcome == record.Completed {
			responses = append(responses, rec.Response()-sooner-took)
		}
	}
	addResponses(r, metric.NoTarget, responses)
}

func addResponses(r *result.Result, prefix string, responses []int64) {
	if len(responses) == 0 {
		return
	}
	sum := 0.0
	for _, v := range responses {
		sum += float64(v)
	}
	r.Add(prefix+metric.MeanResponse, sum/float64(len(responses))/Second)
	if statistics.Resolvable(0.99, len(responses)) {
		r.Add(prefix+metric.P99Response,
			float64(statistics.NearestRanks(nil, responses, 0.99)[0])/Second)
	}
}
