package bench

import (
	"errors"
	"fmt"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/statistics/recursion"
	"github.com/poolbench/poolbench/workloads"
)

// A Plan is the work of a run as known in advance, in the order of the due times. It determines the
// run of a first-come, first-served, work-conserving strategy.
type Plan struct {
	Due     []int64 // due times, in nanoseconds since the start of the run
	Service []int64 // times in a slot, in nanoseconds
	Warmup  int     // number of first tasks that are not counted
}

// ErrNoPlan means that the times of a run do not follow from a plan: service or due times are known
// only at run time.
var ErrNoPlan = errors.New("the work of the run is not known in advance")

// Plan returns the work of the scenario. The error is ErrNoPlan under the real clock, in a closed
// loop, with a target, and with tasks that compute, do I/O or may be cut short (Timeout,
// Patience, Drain).
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
		return Plan{}, ErrNoPlan
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

// FollowsPlan reports whether all times of a run follow from its Plan by the Kiefer–Wolfowitz
// recursion, because its strategy declares that it is first come, first served and work-conserving,
// and all tasks have the weight 1.
// queue is its number of slots, or recursion.NeverFull if it does not shed.
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

// A Course identifies the outcome of a run whose times follow from its plan: the results of two
// scenarios with one Course differ only in their names.
type Course struct {
	work                                Written // without the strategy and its queue
	bound, capacity, queue              int
	wider                               int // the bound at limit + 1
	sheds, usesQueue, usesSize, retries bool
}

// Course returns the course of the scenario. follows is the result of FollowsPlan.
func (s Scenario) Course() (c Course, follows bool) {
	if _, follows = s.FollowsPlan(); !follows {
		return Course{}, false
	}
	s = s.withDefaults()
	spec, p := s.Strategy.Spec, s.params()
	c = Course{work: s.Written(), bound: spec.Bound(p), capacity: -1, queue: p.Queue,
		sheds: spec.Sheds, usesQueue: spec.UsesQueue, usesSize: spec.UsesSize,
		retries: spec.Retries}
	p.Limit++
	c.wider = spec.Bound(p)
	p.Limit--
	if spec.Capacity != nil {
		c.capacity = spec.Capacity(p)
	}
	c.work.Strategy, c.work.Queue = "", 0
	return c, true
}

// Calculate is Run for a scenario whose times follow from its plan: it gives the same result, to
// the last digit, without running the strategy, in a third of the time. known is false if the
// strategy does not declare the necessary facts, if the run has no Plan, or if a tie in time leaves
// a choice to the strategy.
func Calculate(s Scenario) (r *Result, known bool, err error) {
	s = s.withDefaults()
	queue, follows := s.FollowsPlan()
	if !follows {
		return nil, false, nil
	}
	plan, err := s.Plan()
	if errors.Is(err, ErrNoPlan) {
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

// calculate computes the records of the observation. known is false if a tie leaves them open.
func calculate(o *observe.Run, s Scenario, plan Plan, queue int) (known bool) {
	n, bound := len(plan.Due), o.Bound()
	var pool recursion.Pool
	if pool.Run(plan.Due, plan.Service, bound, queue); pool.Tied() {
		return false
	}
	var all record.Log
	all.Reserve(n)
	sorted := newSorter(o.Plan, o.Workload)
	door := newDoor(o, s.Queue, n)
	waited := false
	for i, response := range pool.Responses() {
		r := all.Add(plan.Due[i])
		r.Class = sorted.classOf(uint64(i))
		r.Blocked = door.returned >= r.Due
		r.Issue = max(r.Due, door.returned)
		if response == recursion.Shed {
			r.Outcome, r.End, r.Left = record.Shed, r.Issue, r.Issue
		} else {
			r.Outcome, r.Attempts, r.Busy = record.Completed, 1, plan.Service[i]
			r.End = r.Due + response
			r.Start = r.End - r.Busy
			r.Left = door.pass(i, r)
			waited = waited || r.Start > r.Due
			o.Service += r.Busy
		}
		door.returned = r.Left
	}
	o.Trace = record.NewTrace([]record.Log{all})
	if o.Peak = int64(bound); !waited {
		o.Peak, known = peakApart(o.StartsAndEnds(func(*record.Record) bool { return true }))
		return known
	}
	return true
}

// A door models the blocked generator while a strategy that does not shed is full.
type door struct {
	queue    int
	starts   []int64 // ring of the last starts. nil: never full
	returned int64   // when the generator returned from the previous submit
}

func newDoor(o *observe.Run, queue, n int) door {
	spec, p := o.Plan.Strategy, o.Plan.Params
	p.Queue = QueueSlots(spec, queue, p.Limit, n)
	if spec.Sheds || spec.Capacity == nil {
		return door{}
	}
	queue = spec.Capacity(p) - o.Bound()
	if queue >= n {
		return door{}
	}
	return door{queue: queue, starts: make([]int64, max(queue, 1))}
}

// pass returns when Submit of task i returns: at its start or, with a queue, at the start of the
// task that many places earlier.
func (d *door) pass(i int, r *record.Record) (left int64) {
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

// peakApart returns the most tasks in flight at once, if no task waited. It is unknown if one task
// ends at the instant at which another starts.
func peakApart(starts, ends []int64) (peak int64, known bool) {
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
