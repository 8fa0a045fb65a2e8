package bench

import (
	"errors"
	"fmt"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/statistics/recursion"
	"github.com/poolbench/poolbench/workloads"
)

// A Plan is the work of a run in order of due times, as known in advance.
type Plan struct {
	Due     []int64 // due times, in ns since the start of the run
	Service []int64 // service times, in ns
	Warmup  int     // number of tasks at the start that are not measured
}

var errNoPlan = errors.New("the work of the run is not known in advance")

// Plan returns the work of the scenario. It returns an error under the real clock, in a closed
// loop, with a target, with tasks that compute or do I/O, and with Timeout, Patience or Drain.
func (s Scenario) Plan() (Plan, error) {
	s = s.withDefaults()
	if err := s.Validate(); err != nil {
		return Plan{}, err
	}
	w := s.waits()
	timed, known := w.(workloads.Timed)
	if _, computes := w.(workloads.Computing); computes || !known || s.Clock != Virtual ||
		s.Load.Arrival.IsClosed() || s.Target.Spec.Name != "none" || s.Timeout != 0 ||
		s.Patience != nil || s.Drain != 0 {
		return Plan{}, errNoPlan
	}
	n, err := s.planned(w.Mean())
	if err != nil {
		return Plan{}, err
	}
	next, err := s.Load.Arrival.Spec.Open(s.described().Rate(w.Mean()), s.Seed,
		s.Load.Arrival.Values)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Due: make([]int64, n), Service: make([]int64, n), Warmup: int(s.Stop.Warmup *
		float64(n))}
	for i := range n {
		p.Due[i], p.Service[i] = int64(next()), int64(timed.Time(uint64(i)))
	}
	return p, nil
}

// FollowsPlan reports whether the Kiefer–Wolfowitz recursion gives all times of a run: its strategy
// is declared first come, first served and work-conserving, and all tasks have the weight 1. queue
// is the number of its queue slots, or recursion.NeverFull if it does not shed.
func (s Scenario) FollowsPlan() (queue int, follows bool) {
	s = s.withDefaults()
	spec, p := s.Strategy.Spec, s.params()
	if s.weights() != nil || !spec.FIFO || !spec.WorkConserving || spec.Quantum != nil ||
		spec.ClassPools != nil || spec.Splits || spec.Starts != nil || spec.Bound == nil ||
		spec.Bound(p) == 0 {
		return 0, false
	}
	if !spec.Sheds {
		return recursion.NeverFull, true
	}
	if spec.Capacity == nil {
		return 0, false
	}
	return spec.Capacity(p) - spec.Bound(p), true
}

// A PlanKey identifies the outcome of a run whose times follow from its plan. Scenarios with the
// same Course have the same results except for the name.
type PlanKey struct {
	work                                Encoded // the scenario without its strategy and queue
	bound, capacity, queue              int
	boundPlusOne                        int // the bound at limit + 1
	sheds, usesQueue, usesSize, retries bool
}

// PlanKey returns the course of the scenario. follows is the result of FollowsPlan.
func (s Scenario) PlanKey() (c PlanKey, follows bool) {
	if _, follows = s.FollowsPlan(); !follows {
		return PlanKey{}, false
	}
	s = s.withDefaults()
	spec, p := s.Strategy.Spec, s.params()
	c = PlanKey{work: s.Encode(), bound: spec.Bound(p), capacity: -1, queue: p.Queue,
		sheds: spec.Sheds, usesQueue: spec.UsesQueue, usesSize: spec.UsesSize,
		retries: spec.Retries}
	p.Limit++
	c.boundPlusOne = spec.Bound(p)
	p.Limit--
	if spec.Capacity != nil {
		c.capacity = spec.Capacity(p)
	}
	c.work.Strategy, c.work.Queue = "", 0
	return c, true
}

// Calculate returns exactly the result of Run, in a third of the time and without running the
// strategy. known is false if the times do not follow from the plan, or if simultaneous events
// leave a choice to the strategy.
func (s Scenario) Calculate() (r *Result, known bool, err error) {
	s = s.withDefaults()
	queue, follows := s.FollowsPlan()
	if !follows {
		return nil, false, nil
	}
	plan, err := s.Plan()
	if errors.Is(err, errNoPlan) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	w := s.waits()
	o := &observe.Run{Name: s.Name(), Plan: s.described(), Workload: w, Mean: w.Mean()}
	if known = calculate(o, s, plan, queue); !known {
		return nil, false, nil
	}
	if r, err = (measurement{Run: o}).result(); err != nil {
		return nil, true, fmt.Errorf("%s: %w", s.Name(), err)
	}
	return r, true, nil
}

func calculate(o *observe.Run, s Scenario, plan Plan, queue int) (known bool) {
	n, bound := len(plan.Due), o.Bound()
	var pool recursion.Pool
	if pool.Run(plan.Due, plan.Service, bound, queue); pool.Tied() {
		return false
	}
	var all record.Log
	all.Reserve(n)
	sorted := newSorter(o.Plan, o.Workload)
	submits := newSubmitter(o, s.Queue, n)
	waited := false
	for i, response := range pool.Responses() {
		r := all.Add(plan.Due[i])
		r.Class = sorted.classOf(uint64(i))
		r.Blocked = submits.returned >= r.Due
		r.Issue = max(r.Due, submits.returned)
		if response == recursion.Shed {
			r.Outcome, r.End, r.Left = record.Shed, r.Issue, r.Issue
		} else {
			r.Outcome, r.Attempts, r.Busy = record.Completed, 1, plan.Service[i]
			r.End = r.Due + response
			r.Start = r.End - r.Busy
			r.Left = submits.submit(i, r)
			waited = waited || r.Start > r.Due
			o.Service += r.Busy
		}
		submits.returned = r.Left
	}
	o.Trace = record.NewTrace([]record.Log{all})
	if o.Peak = int64(bound); !waited {
		o.Peak, known = peakWithoutWaits(o.StartsAndEnds(func(*record.Record) bool { return true }))
		return known
	}
	return true
}

// A submitter models a strategy that does not shed but blocks in Submit.
type submitter struct {
	queue    int
	starts   []int64 // ring buffer of the last start times; nil if the strategy is never full
	returned int64   // return time of the previous Submit
}

func newSubmitter(o *observe.Run, queue, n int) submitter {
	spec, p := o.Plan.Strategy, o.Plan.Params
	p.Queue = spec.QueueSlots(queue, p.Limit, n)
	if spec.Sheds || spec.Capacity == nil {
		return submitter{}
	}
	queue = spec.Capacity(p) - o.Bound()
	if queue >= n {
		return submitter{}
	}
	return submitter{queue: queue, starts: make([]int64, max(queue, 1))}
}

// Without a queue, Submit of task i returns at the start of the task. With k slots it returns at
// the start of task i−k, if that is later than the call.
func (d *submitter) submit(i int, r *record.Record) (left int64) {
	if d.starts == nil {
		return r.Issue
	}
	at := i % len(d.starts)
	if d.queue == 0 {
		return r.Start
	}
	left = max(r.Issue, d.starts[at])
	d.starts[at] = r.Start
	return left
}

// No task may have waited. known is false if a task ends at the instant when another starts.
func peakWithoutWaits(starts, ends []int64) (peak int64, known bool) {
	over := 0
	for begun, at := range starts {
		for ends[over] < at {
			over++
		}
		if ends[over] == at {
			return 0, false
		}
		peak = max(peak, int64(begun+1-over))
	}
	return peak, true
}
