package advise

import (
	"cmp"
	"errors"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
)

// A Question is a request for advice. Zero fields have defaults.
type Question struct {
	// work, target, open traffic at a rate, and seed. Stop is the maximum length of an own-code
	// run, by default from the budget, or the whole of a job that ends
	Scenario   bench.Scenario
	Objectives objectives.List // the first is the promised one
	// candidates. nil: all that need no disk and no server
	Strategies []strategies.Variant
	// up to 1 % of the tasks may be shed, unless an objective gives a bound
	MayShed bool
	// the same for tasks that fail, are abandoned or are refused by the target
	MayDrop     bool
	LimitAtMost int // largest limit. 0 is 1024
	// most slots of a queue. 0 is unlimited, bench.NoQueue none
	QueueAtMost  int
	MemoryAtMost int64         // bytes of waiting and running tasks, BytesPerTask each. 0 is unlimited
	Budget       time.Duration // see the package comment. 0 is 30 s
}

const (
	// approximate memory of a waiting or running task: stack, queue link and the caller's data
	BytesPerTask = 4096

	defaultLimitAtMost = 1024
	defaultBudget      = 30 * time.Second
	tasksPerSecond     = 50_000 // of strategies' own code, per second of budget
	allowed            = "1%"   // of tasks that may be shed or dropped

	// One own-code run uses this part of the budget: a sixth of one of 25 decisions.
	runShare = 150
	minRun   = 1000
	// For a record each decision has one run. More than the default budget would take minutes.
	recordShare = 30
	maxRecord   = 200_000
)

var losses = []struct {
	unit, name string
	shed       bool
}{{metric.Shed, "shed", true}, {metric.Throttled, "throttled", false},
	{metric.Failed, "failed", false}, {metric.Abandoned, "abandoned", false}}

// Validate reports everything that makes the question impossible, joined. It does not run anything.
func (q Question) Validate() error {
	var c text.Complaints
	c.If(len(q.Objectives) == 0, "no objective is given")
	c.If(q.LimitAtMost < 0 || q.LimitAtMost > strategies.MaxLimit,
		"limit-at-most %d: want 1 to %d", q.LimitAtMost, strategies.MaxLimit)
	c.If(q.MemoryAtMost < 0 || q.MemoryAtMost > 0 && q.MemoryAtMost < BytesPerTask,
		"memory at most %d bytes: a task needs %d", q.MemoryAtMost, BytesPerTask)
	c.If(q.Budget < 0 || q.Budget > 0 && q.Budget < time.Second,
		"budget %v: want a second or more", q.Budget)
	load := q.Scenario.Load
	switch {
	case load.Arrival.Spec.Name != "" && load.Arrival.IsClosed():
		c.Add("arrival %s: its clients wait for the answers, so it has no fixed traffic: give an "+
			"open arrival process", load.Arrival.Spec.Name)
	case load.Relative != 0:
		c.Add("load: it is relative to the limit, and the search is for the limit: give a rate")
	case load.PerSecond == 0 && load.Arrival.TakesRate():
		c.Add("no rate is given")
	}
	if c == nil {
		sc := q.sample()
		sc.Strategy, sc.Limit = strategies.MustParse("semaphore"), 1
		c = append(c, sc.Validate(), objectives.Decidable(q.wanted(), sc))
	}
	return errors.Join(c...)
}

func (q Question) sample() bench.Scenario {
	sc := q.Scenario
	sc.Clock = bench.Virtual
	sc.Workload = standIn(sc.Workload, sc.Seed)
	if sc.Stop.Tasks == 0 && sc.Stop.Duration == 0 {
		sc.Stop.Tasks = cmp.Or(sc.Load.Arrival.Tasks(), q.runTasks())
		if sc.Stop.Warmup == 0 {
			sc.Stop.Warmup = 0.1
		}
	}
	return withDefaults(sc)
}

func (q Question) tasks() int {
	return int(cmp.Or(q.Budget, defaultBudget).Seconds() * tasksPerSecond)
}

func (q Question) runTasks() int {
	least := minRun
	for _, o := range q.wanted() {
		least = max(least, 2*observe.MinTasks(o.Unit))
	}
	return max(least, q.tasks()/runShare)
}

func (q Question) recordTasks() int {
	if cmp.Or(q.Budget, defaultBudget) >= defaultBudget {
		return maxRecord
	}
	return q.tasks() / recordShare
}

func (q Question) planned() int { return min(max(q.tasks(), minPlanned), maxPlanned) }

// wanted adds the implicit objectives: no task is lost, except as MayShed and MayDrop allow.
func (q Question) wanted() objectives.List {
	all := append(objectives.List(nil), q.Objectives...)
	for _, l := range losses {
		bound := "0%"
		if l.shed && q.MayShed || !l.shed && q.MayDrop {
			bound = allowed
		}
		if more, err := all.Add(l.name + "<=" + bound); err == nil { // unless an objective gives a bound
			all = more
		}
	}
	if q.Scenario.Patience != nil && !q.MayDrop {
		if more, err := all.Add("gave-up<=0%"); err == nil {
			all = more
		}
	}
	return all
}

func (q Question) limitAtMost() int {
	most := cmp.Or(q.LimitAtMost, defaultLimitAtMost)
	if q.MemoryAtMost > 0 {
		most = min(most, int(q.MemoryAtMost/BytesPerTask))
	}
	return most
}

func (q Question) queueAtMost(limit int) int {
	most := unboundedQueue
	switch {
	case q.QueueAtMost == bench.NoQueue:
		most = 0
	case q.QueueAtMost > 0:
		most = q.QueueAtMost
	}
	if q.MemoryAtMost > 0 {
		most = min(most, max(0, int(q.MemoryAtMost/BytesPerTask)-limit))
	}
	return most
}
