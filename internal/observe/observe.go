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

type Run struct {
	Name string
	Plan Plan
	// the strategy's pools, if any. They may depend on GOMAXPROCS
	Pools []strategies.ClassPool
	// another package sent the requests. It sets Doubts, Resent, the number of retried requests,
	// and Share, which means that other runs have the same plan
	Recorded bool
	Doubts   []result.Reason
	Resent   int64
	Calls    *record.CallCounter
	Share    bool
	Follows  bool // tasks are due when others have ended
	FlatOut  bool // clients send without a pause, so busy processors are expected
	Local    bool // the server is on this machine
	Workload workloads.Workload
	Mean     time.Duration // mean task time of the workload, exact or calibrated
	Trace    *record.Trace // nil for a soak
	Peak     int64         // largest number of attempts in flight
	Limits   []LimitChange // limits of an adaptive strategy, the first at time 0
	// for each stage of the strategy, the time that its workers spent on tasks. nil without stages,
	// 0 for the stage that runs the tasks: see Service
	StageBusy    []time.Duration
	PeakWeight   int64 // largest sum of the weights of attempts in flight
	Service      int64 // total time inside Run in ns, over all attempts
	SettledTwice int64
	Misdeeds     []string        // the strategy's violations of its contract
	Left         machine.Stacks  // goroutines left by the strategy
	Counts       []targets.Count // counters of the target and of the strategy
	Overruns     *Overruns       // nil without a timeout
	used         resources
	Seen         *machine.WitnessStats // nil under the virtual clock
	Profiles     []result.Profile
	Claims       []Claim
	scratch      []float64
	classes      uint // bit set of the tasks' classes. 0 until determined
}

// Overruns counts the attempts of a run that continued after their timeout.
type Overruns struct {
	N, Total, Longest int64 // number, total and longest time after the timeout in ns
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

const Second = float64(time.Second)

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

// Totals contains sums over the tasks after the warm-up, in ns.
type Totals struct {
	N        int
	outcomes [record.GaveUp + 1]int
	inTime   int // completed within the deadline
	started  int
	attempts int
	From     int64   // start of the time that the tasks represent. See Span
	until    int64   // its end. For closed arrivals without the time of the warm-up's tasks
	plan     int64   // its planned end: the last due time or the duration
	lastEnd  int64   // last end of all tasks, including the warm-up
	gaveUp   int     // gave up after their start
	wasted   int64   // part of busy spent in tasks that did not complete
	left     int     // accepted tasks of the warm-up that ended after From
	busy     int64   // service time of started tasks
	busySq   float64 // Σ (busy/second)²
}

func (m *Totals) Count(r *record.Record, deadline int64) {
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
func (m *Totals) CountLeft(ends ...int64) {
	for _, end := range ends {
		if end > m.From {
			m.left++
			m.lastEnd = max(m.lastEnd, end)
		}
	}
}

func (m Totals) Ended(s Plan, until int64) Totals {
	m.plan, m.until = until, until
	if s.Arrival.IsClosed() {
		m.until = m.From + m.served(max(until, m.lastEnd))
	}
	return m
}

func (o *Run) Measure(first int) (m Totals) {
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

// served shares the time from From to end between the measured tasks and the warm-up's remaining
// tasks, in proportion to their number. The rate of measured tasks thus equals the rate of all
// tasks that ended in this time.
func (m Totals) served(end int64) int64 {
	if m.left == 0 {
		return end - m.From
	}
	share := float64(m.started) / float64(m.started+m.left)
	return int64(math.Round(float64(end-m.From) * share))
}

// Seconds is at least the time that the measured tasks represent, so a strategy that catches up
// cannot exceed the arrival rate.
func (m Totals) Seconds() float64 {
	return float64(max(m.until-m.From, m.served(m.lastEnd))) / Second
}

// Rate is 0 if all tasks were due at once.
func (m Totals) Rate() float64 {
	if m.until == m.From {
		return 0
	}
	return float64(m.N) / (float64(m.until-m.From) / Second)
}

// mean is in seconds. c2 is the squared coefficient of variation.
func (m Totals) MeanService() (mean, c2 float64) {
	if m.started == 0 || m.busy == 0 {
		return 0, 0
	}
	n := float64(m.started)
	mean = float64(m.busy) / Second / n
	return mean, max(m.busySq/n/(mean*mean)-1, 0)
}

func (m Totals) Report(r *result.Result) {
	elapsed := m.Seconds()
	if elapsed == 0 {
		return
	}
	r.Add(metric.NsPerOp, elapsed*Second/float64(m.N))
	r.Add(metric.Throughput, float64(m.outcomes[record.Completed])/elapsed)
	r.Add(metric.Goodput, float64(m.inTime)/elapsed)
	if rate := m.Rate(); rate > 0 {
		r.Add(metric.Offered, rate)
	}
}

func (o *Run) ReportShares(r *result.Result, m Totals, f Flow) {
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

// Span returns the time that the tasks from number first on represent. Their rate is n−first
// divided by its length. A task represents the gap before it, which tasks that are due together
// share. The end is the last due time, or the end of a run of a given duration. The time from the
// first to the last due time would contain only n−1 gaps.
func Span(n, first int, due func(i int) int64, duration int64) (from, until int64) {
	until = max(due(n-1), duration)
	at := due(first)
	begin, end := first, first+1
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

var ErrNoTasks = errors.New("no task was due in the measured part of the run: give more tasks or " +
	"more time")

// A Claim compares an exact value with a measured one: for a mean over tasks by a MeanTest, for a
// value of the whole run by the allowed deviation, theoryErrors standard errors plus the bias of a
// finite run.
type Claim struct {
	Unit    string // the measured metric. theory-unit is the exact value
	Exact   float64
	Test    *MeanTest // nil for a value of the whole run
	Allowed float64
}

// A MeanTest defines a value of each task, its exact mean, and a lower bound of the standard error
// of the mean over n tasks.
type MeanTest struct {
	Want  float64
	Value func(i int, rec *record.Record) (float64, bool)
	Least func(n float64) float64
	// the run is too short for its queue, or has too few decisive events
	Rare func(n float64) bool
}
