package observe

import (
	"errors"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// A Run contains the observations of a run, from which its metrics are computed.
type Run struct {
	Name string // of the run in results
	Plan Plan
	// the strategy's, if any, as created: they may depend on GOMAXPROCS
	Pools []strategies.ClassPool
	// requests that another package sent, with its doubts, its number of repeated requests, and
	// possibly the same plan as other runs
	Recorded bool
	Doubts   []result.Reason
	Resent   int64
	Calls    *record.CallCounter // nil: none were counted
	Share    bool
	Follows  bool // tasks are due when others have ended
	FlatOut  bool // clients send without a pause, so the processors are meant to be full
	Local    bool // the server is on this machine
	Workload workloads.Workload
	Mean     time.Duration // of the workload, exact or calibrated
	Trace    *record.Trace // nil for a soak
	Peak     int64         // most attempts in flight at once
	Limits   []LimitChange // of a strategy that learns its limit, the first at 0
	// of the stages of the strategy, in their order: time that their workers spent on tasks, without
	// that of the stage that runs the tasks, which is Service. nil: it has none
	StageBusy    []time.Duration
	PeakWeight   int64 // largest sum of the weights of attempts in flight
	Service      int64 // total time inside Run as the attempts counted it
	SettledTwice int64
	Misdeeds     []string        // violations of its contract by the strategy, in words
	Left         machine.Stacks  // goroutines that outlived it
	Counts       []targets.Count // by the target and by the strategy
	Overruns     *Overruns       // nil without a timeout
	used         resources
	Seen         *machine.WitnessSeen // nil under the virtual clock
	Profiles     []result.Profile
	Claims       []Claim // exact values, to compare with the measured ones
	scratch      []float64
	classes      uint // of the tasks, a bit each; 0: not yet determined
}

// Overruns are the attempts that ran on after their timeout, over the whole run.
type Overruns struct {
	N, Total, Longest int64 // number, and the times after the timeout in nanoseconds
}

func (of *Overruns) report(r *result.Result) {
	if of == nil {
		return
	}
	r.Add(metric.Overruns, float64(of.N))
	if of.N > 0 {
		r.Add(metric.MeanOverrun, float64(of.Total)/float64(of.N)/Second)
		r.Add(metric.MaxOverrun, float64(of.Longest)/Second)
	}
}

// Second is the number of nanoseconds in a second, as a float.
const Second = float64(time.Second)

// ReportCosts adds the counts of the target and the strategy, and the process's use of resources
// per task.
func (o *Run) ReportCosts(r *result.Result, tasks int) {
	s, n := o.Plan, float64(tasks)
	o.Overruns.report(r)
	if s.Weights != nil {
		r.Add(metric.PeakWeight, float64(o.PeakWeight))
	}
	for _, c := range o.Counts {
		r.Add(c.Name, float64(c.Value))
	}
	if o.Seen != nil {
		o.ReportRuntime(r, tasks)
	}
	if s.Virtual || o.Recorded {
		return
	}
	r.Add(metric.BytesPerOp, float64(o.used.bytes)/n)
	r.Add(metric.AllocsPerOp, float64(o.used.mallocs)/n)
	if o.used.cpu > 0 {
		r.Add(metric.CPUPerOp, float64(o.used.cpu)/n/Second)
	}
	if o.used.written > 0 && s.Strategy.Survives(s.Params) > strategies.Volatile {
		r.Add(metric.WrittenBytes, float64(o.used.written)/n)
	}
}

// Measured sums the tasks after the warm-up.
type Measured struct {
	N        int
	outcomes [record.GaveUp + 1]int
	inTime   int // completed within the deadline
	started  int
	attempts int
	From     int64   // start of the time that the tasks represent: see Span
	until    int64   // its end; with closed arrivals, without the time of the warm-up's tasks
	plan     int64   // its planned end: the last due, or the duration
	lastEnd  int64   // of all tasks, including the warm-up
	gaveUp   int     // after their start
	wasted   int64   // of busy: in tasks that did not complete
	left     int     // accepted tasks of the warm-up that ended after From
	busy     int64   // of started tasks
	busySq   float64 // Σ (busy/second)²
}

// Count adds a task to the sums.
func (m *Measured) Count(r *record.Record, deadline int64) {
	m.outcomes[r.Outcome]++
	m.lastEnd = max(m.lastEnd, r.End)
	if r.Outcome == record.Completed && (deadline == 0 || r.Response() <= deadline) {
		m.inTime++
	}
	if r.Attempts > 0 {
		m.started++
		m.attempts += int(r.Attempts)
		m.busy += r.Busy
		if r.Outcome != record.Completed {
			m.wasted += r.Busy
		}
		if r.Outcome == record.GaveUp {
			m.gaveUp++
		}
		sec := float64(r.Busy) / Second
		m.busySq += sec * sec
	}
}

// CountLeft adds the ends of the warm-up's tasks that were in the system at From.
func (m *Measured) CountLeft(ends ...int64) {
	for _, end := range ends {
		if end > m.From {
			m.left++
			m.lastEnd = max(m.lastEnd, end)
		}
	}
}

// Ended returns the sums of a run whose plan ended at until.
func (m Measured) Ended(s Plan, until int64) Measured {
	m.plan, m.until = until, until
	if s.Arrival.IsClosed() { // the next task is due when one has ended
		m.until = m.From + m.served(max(until, m.lastEnd))
	}
	return m
}

// Measure sums the tasks from first on.
func (o *Run) Measure(first int) (m Measured) {
	m.N = o.Trace.Len() - first
	from, until := Span(o.Trace.Len(), first, func(i int) int64 { return o.Trace.At(i).Due },
		int64(o.Plan.Duration))
	m.From = from
	for i, rec := range o.Trace.From(0) {
		switch {
		case i >= first:
			m.Count(rec, int64(o.Plan.Deadline))
		case rec.Accepted():
			m.CountLeft(rec.End)
		}
	}
	return m.Ended(o.Plan, until)
}

// served returns the part of the time from From to end for the measured tasks. The remaining tasks
// of the warm-up account for the rest, in proportion to their number. So the rate of the measured
// tasks is the rate of all that ended in this time, in any order of service.
func (m Measured) served(end int64) int64 {
	if m.left == 0 {
		return end - m.From
	}
	share := float64(m.started) / float64(m.started+m.left)
	return int64(math.Round(float64(end-m.From) * share))
}

// Seconds returns the time of the measured tasks, without the time for the remaining tasks of the
// warm-up. It is at least the time that they represent: a strategy that catches up completes no
// more than arrives.
func (m Measured) Seconds() float64 {
	return float64(max(m.until-m.From, m.served(m.lastEnd))) / Second
}

// Rate returns the realised arrival rate per second, or 0 if all were due at once.
func (m Measured) Rate() float64 {
	if m.until == m.From {
		return 0
	}
	return float64(m.N) / (float64(m.until-m.From) / Second)
}

// MeanService returns the realised mean service in seconds and the squared coefficient of
// variation.
func (m Measured) MeanService() (mean, c2 float64) {
	if m.started == 0 || m.busy == 0 {
		return 0, 0
	}
	n := float64(m.started)
	mean = float64(m.busy) / Second / n
	return mean, max(m.busySq/n/(mean*mean)-1, 0)
}

// Report adds the rates of the run.
func (m Measured) Report(r *result.Result) {
	elapsed := m.Seconds()
	if elapsed == 0 {
		return // all tasks took no time, so there is no rate
	}
	r.Add(metric.NsPerOp, elapsed*Second/float64(m.N))
	r.Add(metric.Throughput, float64(m.outcomes[record.Completed])/elapsed)
	r.Add(metric.Goodput, float64(m.inTime)/elapsed)
	if rate := m.Rate(); rate > 0 {
		r.Add(metric.Offered, rate)
	}
}

// ReportShares adds the shares of tasks by their outcome, and the use of the slots.
func (o *Run) ReportShares(r *result.Result, m Measured, f Flow) {
	n := float64(m.N)
	if f.accepted > 0 {
		r.Add(metric.Waited, float64(f.waited)/float64(f.accepted))
	}
	r.Add(metric.Shed, float64(m.outcomes[record.Shed])/n)
	r.Add(metric.Throttled, float64(m.outcomes[record.Throttled])/n)
	r.Add(metric.Failed, float64(m.outcomes[record.Failed])/n)
	r.Add(metric.Abandoned, float64(m.outcomes[record.Abandoned])/n)
	if o.Plan.Patience != nil {
		r.Add(metric.GaveUp, float64(m.outcomes[record.GaveUp])/n)
		r.Add(metric.GaveUpStarted, float64(m.gaveUp)/n)
		if m.busy > 0 {
			r.Add(metric.WastedService, float64(m.wasted)/float64(m.busy))
		}
	}
	if m.started > 0 {
		r.Add(metric.Attempts, float64(m.attempts)/float64(m.started))
	}
	if o.Recorded {
		r.Add(metric.Resent, float64(o.Resent)/n)
	}
	limit := float64(o.Plan.Params.Limit)
	if f.Makespan > 0 && limit > 0 {
		r.Add(metric.Utilisation, float64(f.Busy)/(limit*float64(f.Makespan)))
	}
	o.ReportPipeline(r, f.Makespan)
	mean, c2 := m.MeanService()
	if rate := m.Rate(); rate > 0 && limit > 0 {
		r.Add(metric.OfferedUtilisation, rate*mean/float64(o.Plan.Slots()))
	}
	if m.started > 0 {
		r.Add(metric.ServiceC2, c2)
	}
	if o.Workload != nil {
		r.Add(metric.WorkloadC2, o.Workload.C2())
	}
	r.Add(metric.PeakInFlight, float64(o.Peak))
	o.ReportLimit(r, m)
	r.Add(metric.Makespan, float64(f.Makespan)/Second)
}

// Span returns the time that n tasks represent, from number first on: n less first over its length
// is their rate. All instants are nanoseconds from the start of the plan. due returns the due time
// of all tasks, in order.
//
// A task represents the gap before it: the first of a plan the time since its start, and tasks that
// are due together equal shares of the gap before all of them. So the time begins where the last
// uncounted task ends. It ends with the last due or, in a run of a given duration, with that, even
// if nothing more was due. (From the first to the last due would count n tasks over n−1 gaps: at 10
// a second, 12.5 for five tasks.)
func Span(n, first int, due func(i int) int64, duration int64) (from, until int64) {
	until = max(due(n-1), duration)
	at := due(first)
	begin, end := first, first+1 // of the tasks that are due together with the first
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

// ErrNoTasks is the error of a run in which nothing was due after the warm-up.
var ErrNoTasks = errors.New("no task was due in the measured part of the run: give it more tasks " +
	"or more time")

// A Claim is an exact value for a measured one, with the information to compare them: a value of
// each task whose mean is known or, for a value of the whole run, the possible deviation by chance,
// which is theoryErrors standard errors plus the bias of a finite run.
type Claim struct {
	Unit    string // measured; theory-unit is the exact one
	Exact   float64
	Test    *MeanTest // nil for the whole run
	Allowed float64
}

// A MeanTest is a value of each task, its exact mean, and the least standard error of the mean over
// n tasks.
type MeanTest struct {
	Want  float64
	Value func(i int, rec *record.Record) (float64, bool)
	Least func(n float64) float64
	// the run is too short for its queue, or has too few decisive tasks
	Rare func(n float64) bool
}
