package validity

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/statistics/recursion"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
)

// Goroutines of these packages may outlive a task, because clients keep connections open.
var keepers = []string{"net/http", "database/sql"}

func ReportLaws(
	r *result.Result, o *observe.Run, f observe.Flow, oracle Replay, impossible int,
) {
	r.Broken = BrokenLaws(o, f, oracle, impossible)
	r.Add(metric.BrokenLaws, float64(len(r.Broken)))
	if oracle.Done {
		r.Add(metric.OracleMeanWait, oracle.MeanWait/observe.Second)
		r.Add(metric.OracleMaxDiff, float64(oracle.MaxDiff)/observe.Second)
	}
}

// BrokenLaws describes each violated invariant of a correct strategy.
func BrokenLaws(o *observe.Run, f observe.Flow, oracle Replay, impossible int) (broken []string) {
	law := func(holds bool, format string, a ...any) {
		if !holds {
			broken = append(broken, fmt.Sprintf(format, a...))
		}
	}
	settled := f.Offered - f.Outcomes[record.Unsettled]
	law(f.Outcomes[record.Unsettled] == 0,
		"conservation: %d of %d offered tasks were never settled",
		f.Outcomes[record.Unsettled], f.Offered)
	law(o.SettledTwice == 0, "conservation: %d tasks were settled twice (%d settled of %d offered)",
		o.SettledTwice, settled, f.Offered)
	law(f.Again == 0 || o.Plan.Strategy.Retries || o.Plan.Strategy.Hedges,
		"once: %d tasks ran more than once", f.Again)
	law(f.Unrun == 0, "once: %d tasks were done without an error, but never run", f.Unrun)
	broken = append(broken, o.Misdeeds...)
	if left := o.Left.Foreign().NotOf(keepers...); len(left) > 0 {
		law(false, "drain: goroutines left after Drain: %d, at %s", left.Goroutines(), left.Brief())
	}
	if bound := o.Bound(); bound > 0 {
		law(o.Peak <= int64(bound), "bound: %d tasks were in flight at once, the limit is %d",
			o.Peak, bound)
		law(float64(f.Busy) <= float64(bound)*float64(f.Makespan),
			"utilisation law: the service time of %v exceeds the %v of %d slots",
			time.Duration(f.Busy), time.Duration(f.Makespan), bound)
	}
	law(f.Busy == o.Service,
		"utilisation law: the records contain %v of service time, but the attempts counted %v",
		time.Duration(f.Busy), time.Duration(o.Service))
	law(f.Negative == 0, "response ≥ service ≥ 0: %d tasks started before they were due, ended "+
		"before they started, or have a service time above their response time", f.Negative)
	law(f.Negative > 0 || impossible == 0, "response = lag + blocked + queued + between + service: "+
		"%d tasks have a part below 0, or parts that do not add up", impossible)
	if f.Negative == 0 && f.Outcomes[record.Unsettled] == 0 {
		law(f.Area == f.Responses, "Little's law: ∫N(t)dt = %v, Σ response = %v",
			f.Area, f.Responses)
	}
	if oracle.Done && o.Plan.Virtual {
		promise := "The Spec promises FIFO and WorkConserving"
		if o.Pools != nil {
			promise = "Spec.ClassPools promises FIFO, work-conserving pools"
		}
		law(oracle.MaxDiff == 0, "oracle: under the virtual clock a start differs from the "+
			"Kiefer–Wolfowitz recursion by %s (task %d). %s, but tasks started in another order, or "+
			"a slot was idle while a task waited: correct the strategy, or the Spec",
			text.Duration(time.Duration(oracle.MaxDiff)), oracle.worst, promise)
	}
	return broken
}

// A Replay is the result of the oracle: the Kiefer–Wolfowitz recursion computes each start in an
// ideal FIFO, work-conserving system. Under the virtual clock the run must equal it to the
// nanosecond.
type Replay struct {
	Done     bool
	MeanWait float64 // of the measured tasks, in nanoseconds
	MaxDiff  int64   // largest |start − oracle's start|, in nanoseconds
	worst    int
}

// ReplayOf replays the pools of classes separately, unless a full queue of one class blocked the
// other. The mean includes only tasks from first on.
func ReplayOf(o *observe.Run, first int, h observe.Blocked) Replay {
	pools, poolOf := o.FifoPools()
	if pools == nil || (len(pools) > 1 && h.Ever) {
		return Replay{}
	}
	p := Oracle{clients: o.Trace.Merged(), poolOf: poolOf, previous: -1}
	p.open(pools)
	for i, rec := range o.Trace.From(0) {
		p.Add(i, rec, i >= first)
	}
	return p.Ended()
}

// Records must be added to an Oracle in the order of their due times.
type Oracle struct {
	Replay
	pools    []*recursion.Slots // empty if the oracle does not apply
	poolOf   map[strategies.Class]int
	clients  bool
	previous int64
	sum      float64
	n        int
}

// NewOracle is for strategies with one pool, if the task classes are not known in advance.
func NewOracle(o *observe.Run) Oracle {
	p := Oracle{previous: -1}
	if o.Pools == nil {
		pools, _ := o.FifoPools()
		p.open(pools)
	}
	return p
}

func (p *Oracle) open(pools []int) {
	for _, slots := range pools {
		p.pools = append(p.pools, recursion.NewSlots(slots))
	}
}

func (p *Oracle) Add(i int, r *record.Record, counts bool) {
	switch {
	case p.pools == nil || !r.Accepted():
		return
	case r.Attempts != 1, // the task never ran, or ran more than once
		p.clients && r.Due == p.previous: // clients with equal due times have no defined order
		p.pools = nil
		return
	}
	p.previous = r.Due
	pool := 0
	if p.poolOf != nil {
		pool = p.poolOf[r.Class]
	}
	start := p.pools[pool].Start(r.Due, r.Busy)
	if counts {
		p.sum += float64(start - r.Due)
		p.n++
	}
	if diff := max(r.Start-start, start-r.Start); diff > p.MaxDiff {
		p.MaxDiff, p.worst = diff, i
	}
}

func (p *Oracle) Ended() Replay {
	if p.pools == nil {
		return Replay{}
	}
	if p.n > 0 {
		p.MeanWait = p.sum / float64(p.n)
	}
	p.Done = true
	return p.Replay
}
