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

// A Question is what advice is wanted on. Zero fields have the defaults that they name.
type Question struct {
	// work, target, traffic and seed; its strategy, limit and queue are what is looked for. Its
	// traffic is open, at a rate. Stop is the most that a run of a strategy's own code has, and all
	// of a job that ends; without one it goes by the budget.
	Scenario   bench.Scenario
	Objectives objectives.List // the first is the one that is promised
	// what is looked at; nil is all that need no disk and no server
	Strategies []strategies.Variant
	// tasks may be refused by the strategy: up to 1 % of them, unless an objective says how many
	MayShed bool
	// tasks may fail, be abandoned or be refused by the target: likewise
	MayDrop     bool
	LimitAtMost int // largest limit; 0 is 1024
	// most slots of a queue; 0 is any number, bench.NoQueue none
	QueueAtMost  int
	MemoryAtMost int64         // bytes of what waits and runs, BytesPerTask each; 0 is any number
	Budget       time.Duration // see the package comment; 0 is 30 s
	Parallel     int           // runs side by side; 0 is GOMAXPROCS
}

const (
	// BytesPerTask is about what a task takes that waits or runs: a goroutine's first stack, its
	// queue link and the caller's data.
	BytesPerTask = 4096

	defaultLimitAtMost = 1024
	defaultBudget      = 30 * time.Second
	tasksPerSecond     = 50_000 // of the strategies' own code, for a second of the budget
	allowed            = "1%"   // of tasks shed or dropped where that is allowed

	// A run of a strategy's own code has so small a part of the budget, a sixth of one of 25
	// decisions, and not so few tasks that nothing can be told.
	runShare = 150
	leastRun = 1000
	// Of a record there is one run for each decision. What the default budget does not look at
	// would take minutes.
	recordShare = 30
	mostRecord  = 200_000
)

// losses are the metrics of tasks that are not done, and whether they count as shed.
var losses = []struct {
	unit, name string
	shed       bool
}{{metric.Shed, "shed", true}, {metric.Throttled, "throttled", false},
	{metric.Failed, "failed", false}, {metric.Abandoned, "abandoned", false}}

// Validate reports everything that makes the question impossible, joined. It does not run anything.
func (q Question) Validate() error {
	var c text.Complaints
	c.If(len(q.Objectives) == 0, "objective: none is given")
	c.If(q.LimitAtMost < 0 || q.LimitAtMost > strategies.MaxLimit,
		"limit at most %d: want 1 to %d", q.LimitAtMost, strategies.MaxLimit)
	c.If(q.MemoryAtMost < 0 || q.MemoryAtMost > 0 && q.MemoryAtMost < BytesPerTask,
		"memory at most %d bytes: a task takes %d", q.MemoryAtMost, BytesPerTask)
	c.If(q.Budget < 0 || q.Budget > 0 && q.Budget < time.Second,
		"budget %v: want a second or more", q.Budget)
	load := q.Scenario.Load
	switch {
	case load.Arrival.Spec.Name != "" && load.Arrival.IsClosed():
		c.Add("arrival %s: its clients wait for the answer, so there is no traffic to advise "+
			"on; give an open one", load.Arrival.Spec.Name)
	case load.Relative != 0:
		c.Add("load: it is relative to the limit that is looked for; give a rate")
	case load.PerSecond == 0 && load.Arrival.TakesRate():
		c.Add("rate: none is given")
	}
	if c == nil {
		sc := q.sample()
		sc.Strategy, sc.Limit = strategies.MustParse("semaphore"), 1
		c = append(c, sc.Validate(), objectives.Decidable(q.wanted(), sc))
	}
	return errors.Join(c...)
}

// sample is the scenario, less what is looked for, under the virtual clock.
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

// tasks is the budget.
func (q Question) tasks() int {
	return int(cmp.Or(q.Budget, defaultBudget).Seconds() * tasksPerSecond)
}

// runTasks is how many tasks a run of a strategy's own code has, but for a record.
func (q Question) runTasks() int {
	least := leastRun
	for _, o := range q.wanted() {
		least = max(least, 2*observe.LeastTasks(o.Unit))
	}
	return max(least, q.tasks()/runShare)
}

// recordTasks is how many of a record such a run has at most.
func (q Question) recordTasks() int {
	if cmp.Or(q.Budget, defaultBudget) >= defaultBudget {
		return mostRecord
	}
	return q.tasks() / recordShare
}

// planned is how many tasks steady traffic is drawn with.
func (q Question) planned() int { return min(max(q.tasks(), leastPlanned), mostPlanned) }

// wanted returns the objectives, with implicit ones: no task is lost, except as MayShed and MayDrop
// allow.
func (q Question) wanted() objectives.List {
	all := append(objectives.List(nil), q.Objectives...)
	for _, l := range losses {
		bound := "0%"
		if l.shed && q.MayShed || !l.shed && q.MayDrop {
			bound = allowed
		}
		if more, err := all.Add(l.name + "<=" + bound); err == nil { // else an objective says it
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

// queueAtMost is how many slots a queue may have beside that limit; anyQueue where it may have any
// number.
func (q Question) queueAtMost(limit int) int {
	most := anyQueue
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
