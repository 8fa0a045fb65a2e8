package bench

import (
	"time"

	"github.com/poolbench/poolbench/bench/records"
	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/internal/machine/watchdog"
	"github.com/poolbench/poolbench/internal/machine/witness"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// An observation is a run as it was, before anything is computed from it.
type observation struct {
	name string // of the run in results
	plan described
	// the strategy's, if it has any, as they were when it was made: they may depend on GOMAXPROCS
	pools []strategies.ClassPool
	// of requests that another package sent, which doubts this much, sent so many again, and may
	// share its plan with others
	recorded     bool
	doubts       []Reason
	resent       int64
	share        bool
	workload     workloads.Workload
	mean         time.Duration  // of the workload, exact or calibrated
	trace        *records.Trace // nil of a soak
	peak         int64          // most attempts in flight at once
	service      int64          // sum of the time inside Run as the attempts counted it
	settledTwice int64
	misdeeds     []string        // what the strategy did that it may not do, in words
	left         watchdog.Stacks // goroutines that outlived it
	counts       []targets.Count // by the target
	used         resources
	seen         *witness.Seen // nil under the virtual clock
	profiles     []Profile
	claims       []claim // what is known exactly, to be held against what was measured
}

// second is the number of nanoseconds in one, as a float.
const second = float64(time.Second)

// A measurement is a run as it was: an observation or, of a soak, the fold of one.
type measurement struct {
	*observation
	fold *fold // of a soak
}

// result computes everything that a run reports: first the judged numbers, then what they are held
// against.
func (run measurement) result() (*Result, error) {
	if run.fold != nil {
		return run.fold.result()
	}
	o := run.observation
	s := o.plan
	first := int(s.Warmup * float64(o.trace.Len()))
	r := &Result{Name: o.name, Seed: s.Seed, Tasks: o.trace.Len() - first}
	if r.Tasks == 0 {
		return nil, errNoTasks
	}
	m := o.measure(first)
	flow := o.flow(first)
	m.report(r)
	if err := o.reportTimes(r, first, m); err != nil {
		return nil, err
	}
	o.reportShares(r, m, flow)
	held := o.held(first)
	r.add("held/op", held.share)
	parts := o.reportParts(r, first)
	o.reportOtherwise(r, first, m, &parts)
	replay := o.replay(first, held)
	r.Broken = o.brokenLaws(flow, replay, parts.impossible)
	r.add("broken-laws", float64(len(r.Broken)))
	if replay.done {
		r.add("oracle-mean-wait-sec", replay.meanWait/second)
		r.add("oracle-max-diff-sec", float64(replay.maxDiff)/second)
	}
	o.reportTheory(r, m, held)
	o.reportCosts(r, o.trace.Len())
	o.judge(r, first, m, flow, held)
	o.reportStages(r, first)
	r.Timeline = o.timeline()
	return r, o.keepResponses(r, first)
}

// keepResponses packs the response of each task where another run of the seed has the same tasks:
// under the virtual clock, and due by the plan.
func (o *observation) keepResponses(r *Result, first int) (err error) {
	if !o.plan.Virtual || o.recorded || r.Tasks > rundir.MostResponses ||
		o.plan.Arrival.IsClosed() {
		return nil
	}
	r.Responses, err = rundir.PackResponses(r.Tasks, func(i int) int64 {
		if rec := o.trace.At(first + i); rec.Outcome == records.Completed {
			return rec.Response()
		}
		return rundir.NoResponse
	})
	return err
}

// reportCosts adds what the target counted, and what the process used for so many tasks.
func (o *observation) reportCosts(r *Result, tasks int) {
	s, n := o.plan, float64(tasks)
	for _, c := range o.counts {
		r.add(c.Name, float64(c.Value))
	}
	if o.seen != nil {
		o.reportRuntime(r, tasks)
	}
	if s.Virtual || o.recorded {
		return
	}
	r.add("B/op", float64(o.used.bytes)/n)
	r.add("allocs/op", float64(o.used.mallocs)/n)
	if o.used.cpu > 0 {
		r.add("cpu-sec/op", float64(o.used.cpu)/n/second)
	}
	if o.used.written > 0 && s.Strategy.Survives(s.Params) > strategies.Volatile {
		r.add("written-B/op", float64(o.used.written)/n)
	}
}

// measured sums up the tasks after the warm-up.
type measured struct {
	n        int
	outcomes [records.Abandoned + 1]int
	inTime   int // completed within the deadline
	started  int
	attempts int
	from     int64 // of the stretch of time that they stand for: see Span
	until    int64 // its end
	// how long after the first due the first of them started: by then, the tasks of the warm-up had
	// the slots
	backlog int64
	lastEnd int64
	busy    int64   // of started tasks
	busySq  float64 // Σ (busy/second)²

	firstDue, begun int64 // the first due and the first start
}

// count adds a task to the sums.
func (m *measured) count(r *records.Record, deadline int64) {
	m.outcomes[r.Outcome]++
	m.lastEnd = max(m.lastEnd, r.End)
	if r.Outcome == records.Completed && (deadline == 0 || r.Response() <= deadline) {
		m.inTime++
	}
	if r.Attempts > 0 {
		if m.started++; m.started == 1 || r.Start < m.begun {
			m.begun = r.Start
		}
		m.attempts += int(r.Attempts)
		m.busy += r.Busy
		sec := float64(r.Busy) / second
		m.busySq += sec * sec
	}
}

// ended is the sum of a run whose plan took until then; warm says that it had a warm-up.
func (m measured) ended(s described, until int64, warm bool) measured {
	m.until = until
	if m.started > 0 && warm {
		m.backlog = max(m.begun-m.firstDue, 0)
	}
	if s.Arrival.IsClosed() {
		m.until = max(m.until, m.lastEnd) // the next task is due when one has ended
	}
	return m
}

func (o *observation) measure(first int) (m measured) {
	m.n, m.firstDue = o.trace.Len()-first, o.trace.At(first).Due
	from, until := Span(o.trace.Len(), first, func(i int) int64 { return o.trace.At(i).Due },
		int64(o.plan.Duration))
	m.from = from
	for i := first; i < o.trace.Len(); i++ {
		m.count(o.trace.At(i), int64(o.plan.Deadline))
	}
	return m.ended(o.plan, until, first > 0)
}

// seconds is how long the measured part took, until its last end. While the strategy was still at
// work on what it had of the warm-up the measured part had not begun.
func (m measured) seconds() float64 {
	return float64(max(m.lastEnd, m.until)-m.from-m.backlog) / second
}

// rate is the realised arrival rate per second; 0 when all were due at once.
func (m measured) rate() float64 {
	if m.until == m.from {
		return 0
	}
	return float64(m.n) / (float64(m.until-m.from) / second)
}

// meanService returns the realised mean service in seconds and the squared coefficient of
// variation.
func (m measured) meanService() (mean, c2 float64) {
	if m.started == 0 || m.busy == 0 {
		return 0, 0
	}
	n := float64(m.started)
	mean = float64(m.busy) / second / n
	return mean, max(m.busySq/n/(mean*mean)-1, 0)
}

func (m measured) report(r *Result) {
	elapsed := m.seconds()
	if elapsed == 0 {
		return // all tasks took no time at all: a rate would be made up
	}
	r.add("ns/op", elapsed*second/float64(m.n))
	r.add("ops/s", float64(m.outcomes[records.Completed])/elapsed)
	r.add("goodput-ops/s", float64(m.inTime)/elapsed)
	if rate := m.rate(); rate > 0 {
		r.add("offered-ops/s", rate)
	}
}

func (o *observation) reportShares(r *Result, m measured, f flow) {
	n := float64(m.n)
	if f.accepted > 0 {
		r.add("waited/op", float64(f.waited)/float64(f.accepted))
	}
	r.add("shed/op", float64(m.outcomes[records.Shed])/n)
	r.add("throttled/op", float64(m.outcomes[records.Throttled])/n)
	r.add("failed/op", float64(m.outcomes[records.Failed])/n)
	r.add("abandoned/op", float64(m.outcomes[records.Abandoned])/n)
	if m.started > 0 {
		r.add("attempts/op", float64(m.attempts)/float64(m.started))
	}
	if o.recorded {
		r.add("resent/op", float64(o.resent)/n)
	}
	limit := float64(o.plan.Params.Limit)
	if f.makespan > 0 && limit > 0 {
		r.add("utilisation", float64(f.busy)/(limit*float64(f.makespan)))
	}
	mean, c2 := m.meanService()
	if rate := m.rate(); rate > 0 && limit > 0 {
		r.add("offered-utilisation", rate*mean/float64(o.plan.slots()))
	}
	if m.started > 0 {
		r.add("service-c2", c2)
	}
	if o.workload != nil {
		r.add("workload-c2", o.workload.C2())
	}
	r.add("peak-inflight", float64(o.peak))
	r.add("makespan-sec", float64(f.makespan)/second)
}

// Span is the stretch of time that n tasks stand for, from the task numbered first on: n less first
// over its length is their rate, be they one or a million. All instants are nanoseconds from the
// start of the plan; due are those of all tasks, in their order.
//
// A task stands for the gap before it: the first of a plan for the time since its start, and tasks
// that are due together for equal shares of the gap before all of them. So the stretch begins where
// the last task ends that is not counted. It ends with the last due or, in a run of a given
// duration, with that: a run in which nothing more was due had its time all the same. (To count the
// tasks over the time from the first of them to the last is to count n over n−1 gaps: at 10 a
// second, 12.5 for five tasks.)
func Span(n, first int, due func(i int) int64, duration int64) (from, until int64) {
	until = max(due(n-1), duration)
	at := due(first)
	begin, end := first, first+1 // of those that are due together with the first
	for begin > 0 && due(begin-1) == at {
		begin--
	}
	for end < n && due(end) == at {
		end++
	}
	before := int64(0)
	if begin > 0 {
		before = due(begin - 1)
	}
	return at - int64(float64(at-before)*float64(end-first)/float64(end-begin)), until
}
