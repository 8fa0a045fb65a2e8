package bench

import (
	"fmt"

	"github.com/poolbench/poolbench/bench/records"
	"github.com/poolbench/poolbench/internal/statistics/recursion"
	"github.com/poolbench/poolbench/strategies"
)

// keepers are the packages whose goroutines outlive a task without a fault of the strategy: a
// client keeps its connections open for the next call.
var keepers = []string{"net/http", "database/sql"}

// brokenLaws checks what holds on every run of every correct strategy, and says each violation in
// words with its numbers.
func (o *observation) brokenLaws(f flow, oracle replay, impossible int) (broken []string) {
	law := func(holds bool, format string, a ...any) {
		if !holds {
			broken = append(broken, fmt.Sprintf(format, a...))
		}
	}
	settled := f.offered - f.outcomes[records.Unsettled]
	law(f.outcomes[records.Unsettled] == 0,
		"conservation: %d of %d offered tasks were never settled",
		f.outcomes[records.Unsettled], f.offered)
	law(o.settledTwice == 0, "conservation: %d tasks were settled twice (%d settled of %d offered)",
		o.settledTwice, settled, f.offered)
	law(f.again == 0 || o.plan.Strategy.Retries, "once: %d tasks ran more than once",
		f.again)
	law(f.unrun == 0, "once: %d tasks were done without an error, and never run", f.unrun)
	broken = append(broken, o.misdeeds...)
	if left := o.left.Foreign().NotOf(keepers...); len(left) > 0 {
		law(false, "drain: goroutines left after Drain: %d, at %s", left.Goroutines(), left.Brief())
	}
	if bound := o.bound(); bound > 0 {
		law(o.peak <= int64(bound), "bound: %d tasks were in flight at once, the limit is %d",
			o.peak, bound)
		law(float64(f.busy) <= float64(bound)*float64(f.makespan),
			"utilisation law: %d ns of service in %d ns of %d slots", f.busy, f.makespan, bound)
	}
	law(f.busy == o.service,
		"utilisation law: the records hold %d ns of service, the attempts counted %d ns",
		f.busy, o.service)
	law(f.negative == 0, "response ≥ service ≥ 0: %d tasks started before they were due, ended "+
		"before they started, or served longer than they were there", f.negative)
	law(f.negative > 0 || impossible == 0, "response = lag + held + queued + between + service: "+
		"%d tasks have a part below 0, or parts that do not add up", impossible)
	if f.negative == 0 && f.outcomes[records.Unsettled] == 0 {
		law(f.area == f.responses, "Little's law: ∫N(t)dt = %v, Σ response = %v",
			f.area, f.responses)
	}
	if oracle.done && o.plan.Virtual {
		law(oracle.maxDiff == 0, "oracle: under the virtual clock a start differs from the "+
			"Kiefer–Wolfowitz recursion by %d ns (task %d)", oracle.maxDiff, oracle.worst)
	}
	return broken
}

// A replay is the path-wise oracle: the run's own due times and realised service times put through
// the Kiefer–Wolfowitz recursion, which says when each task starts in a perfect FIFO,
// work-conserving system with as many slots. There is no sampling error in it. Under the virtual
// clock the run must equal it to the nanosecond; under the real one the difference is the
// strategy's overhead.
type replay struct {
	done     bool    // it applies to this run, and was made
	meanWait float64 // of the measured tasks, in nanoseconds
	maxDiff  int64   // largest |start − oracle's start|
	worst    int     // index of that task
}

// replay applies to pools that declare FIFO and work conservation, on runs in which every accepted
// task ran once: a strategy of one pool, and one of a pool for each class, of which each is
// replayed by itself, as long as no task stood before a full queue: it would be in the way of the
// other class. The mean is taken over the tasks from first on; the recursion runs over all.
func (o *observation) replay(first int, h held) replay {
	pools, poolOf := o.fifoPools()
	if pools == nil || (len(pools) > 1 && h.ever) {
		return replay{}
	}
	p := oracle{clients: o.trace.Merged(), poolOf: poolOf, previous: -1}
	p.open(pools)
	for i := range o.trace.Len() {
		p.add(i, o.trace.At(i), i >= first)
	}
	return p.ended()
}

// An oracle is the recursion, which is given the records in the order of their due times.
type oracle struct {
	replay
	pools    []*recursion.Slots // none: it does not apply
	poolOf   map[strategies.Class]int
	clients  bool // a closed loop
	previous int64
	sum      float64
	n        int
}

// newOracle is for a run whose classes nobody knows beforehand: it applies to strategies of one
// pool.
func (o *observation) newOracle() oracle {
	p := oracle{previous: -1}
	if o.pools == nil {
		pools, _ := o.fifoPools()
		p.open(pools)
	}
	return p
}

// open makes all slots free, of so many in each pool.
func (p *oracle) open(pools []int) {
	for _, slots := range pools {
		p.pools = append(p.pools, recursion.NewSlots(slots))
	}
}

func (p *oracle) add(i int, r *records.Record, counts bool) {
	switch {
	case p.pools == nil || !r.Accepted():
		return
	case r.Attempts != 1, // never ran, or ran again: not a plain FIFO path
		p.clients && r.Due == p.previous: // that come at one instant: their order is nobody's fault
		p.pools = nil
		return
	}
	p.previous = r.Due
	pool := 0
	if p.poolOf != nil {
		pool = p.poolOf[r.Class]
	}
	start := p.pools[pool].Take(r.Due, r.Busy)
	if counts {
		p.sum += float64(start - r.Due)
		p.n++
	}
	if diff := max(r.Start-start, start-r.Start); diff > p.maxDiff {
		p.maxDiff, p.worst = diff, i
	}
}

// ended is what the oracle says of the run.
func (p *oracle) ended() replay {
	if p.pools == nil {
		return replay{}
	}
	if p.n > 0 {
		p.meanWait = p.sum / float64(p.n)
	}
	p.done = true
	return p.replay
}

// fifoPools are the slots of each pool whose tasks start in the order of their acceptance as soon
// as a slot is free, and the pool of each class; nil where the strategy has no such pools. Tasks of
// a class without a class pool take any slot. Where all are of that kind it is one pool; where only
// some are, which of the class pools takes one is not a matter of that class pool alone.
func (o *observation) fifoPools() (pools []int, poolOf map[strategies.Class]int) {
	spec, bound := o.plan.Strategy, o.bound()
	if o.pools == nil {
		if !spec.FIFO || !spec.WorkConserving || spec.Quantum != nil || bound == 0 {
			return nil, nil
		}
		return []int{bound}, nil // the one, for any class
	}
	poolOf = make(map[strategies.Class]int)
	all := 0
	for i, l := range o.pools {
		pools = append(pools, l.Limit)
		poolOf[l.Class] = i
		all += l.Limit
	}
	var seen [2]bool // of tasks with and without a class pool
	for i := range o.trace.Len() {
		if _, pool := poolOf[o.trace.At(i).Class]; pool {
			seen[1] = true
		} else {
			seen[0] = true
		}
	}
	switch {
	case seen[0] && seen[1], all != bound:
		return nil, nil
	case seen[0]:
		return []int{all}, nil
	}
	return pools, poolOf
}
