package strategies

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
)

// Params are the settings of an instance.
type Params struct {
	Limit int // most tasks in flight; at least 1
	// accepted tasks that may wait for a slot, where the strategy has a queue; at least 0
	Queue  int
	Values param.Values // the strategy's own parameters (Spec.Keys)
	// Resume makes a durable strategy use a named queue that outlives the instance; nil: a new
	// queue, removed when the instance ends.
	Resume *Resume
	// OnFault is called once when the store of a durable strategy has failed, from a goroutine of
	// the instance and before any task is done with the error; nil: the next Submit or Drain
	// reports it.
	OnFault func(*StoreError)
}

// MaxLimit and MaxSlots are the largest Limit and the largest Queue that Validate lets pass: 2²⁰
// and 2²⁴. They catch typing errors before these allocate memory: that many goroutines with a task
// each take some 5 GB, a queue of that size 128 MB.
const (
	MaxLimit = 1 << 20
	MaxSlots = 1 << 24
)

// A Spec describes a strategy and makes instances of it. The contract tests check the declared
// facts, and so does every run where it can.
type Spec struct {
	Name    string      // lower_snake; the file is named for it
	Summary string      // one line: what it is
	UseIf   string      // completes "use it if …"
	Source  string      // where the pattern comes from
	OnPanic string      // the effect of a panic in a task, in a few words
	Keys    []param.Key // parameters of its own
	// Parts is its complexity, which decides ties of poolbench advise: the number of things to
	// choose, size, handle or import. A parameter, a queue, refusals, retries, classes, steps,
	// pacing and another module count one each. 0: counted from the declared facts.
	Parts int
	// Go returns the equivalent idiom in plain Go for p, as a statement, for readers who want no
	// library. Nil: there is none shorter than New.
	Go func(p Params) string

	// Declared facts.
	Bound func(p Params) int // most tasks in flight with p; nil: unbounded
	// most tasks accepted and not done with p, running ones included; nil: unbounded
	Capacity func(p Params) int
	// a full instance refuses with ErrShed at once; otherwise Submit blocks until there is room
	Sheds bool
	// while too many recent tasks failed or were slow, it refuses tasks with ErrShed, or gives up
	// accepted ones with it before they start, whether it is full or not
	Trips bool
	// it may run a second attempt beside the first: a copy of the task, with its own context
	Hedges  bool
	Resizes bool // an instance is a Resizer
	// slots of the limit are given in the order of acceptance (clause Order says exactly)
	FIFO           bool
	WorkConserving bool // no slot of the limit is idle while a task waits for one
	// ByPriority reports whether, with p, slots go to the largest Task.Priority first, equal ones
	// in the order of acceptance; nil: never.
	ByPriority func(p Params) bool
	// ByDeadline: slots go to the earliest Task.Deadline first, tasks without one last, equal ones
	// in the order of acceptance.
	ByDeadline bool
	// Weights returns, for p, the weight of each tenant: over any span in which two tenants have
	// tasks waiting, the numbers of their tasks that start, each divided by the weight, differ by 1
	// at most. Nil, or a nil result: Task.Tenant does not matter.
	Weights func(p Params) func(tenant int32) int
	// TenantWeights returns, for p, the weights by which waiting tenants share the slots, whether
	// the strategy counts starts or their times. Nil, or a nil result: all tenants are alike.
	TenantWeights func(p Params) func(tenant int32) int
	// carries out Result.Retry; otherwise every attempt is the last
	Retries   bool
	UsesQueue bool // Params.Queue matters
	UsesSize  bool // Task.Size matters
	// carries out Result.Split at once, each sub-task in a slot of its own; otherwise one after
	// another in the parent's
	Splits bool

	// Quantum is the longest step of a task; after each step, Result.More sends the rest to the
	// tail of the queue. If Splits, it is the length of the sub-tasks that a task splits into. Nil:
	// tasks run whole.
	Quantum func(p Params) time.Duration
	// ClassPools returns, for p, the pools of a strategy that separates classes: Task.Class chooses
	// the pool, and a class without a pool takes any slot. Each pool starts its tasks in the order
	// of acceptance, as soon as it has a free slot: runs are checked for that. Nil: one pool for
	// all tasks.
	ClassPools func(p Params) []ClassPool
	// Starts returns the limit on the rate of starts, for p. Nil: only slots limit starts.
	Starts func(p Params) Starts
	// Durability returns the failures that accepted tasks survive, for p; nil: Volatile.
	Durability func(p Params) Durability
	// Check returns an error for impossible parameters of its own; nil: all are possible.
	Check func(p Params) error

	// RealClock: it waits for a disk or a server, which have no virtual time.
	RealClock bool
	Ends      bool // the first failed task cancels all others

	Counts []Counter // documents what an instance counts; empty: it is not Counted

	// Set by Compose: the name of the innermost strategy, and the parts around it, outermost first.
	Base   string
	Around []string

	// Needs names the server that it needs, such as PostgreSQL; "": none.
	Needs string
	// Ready returns an error that names what is missing to run it here, by environment variables
	// alone; nil: it is always ready.
	Ready func() error
	// Clean removes from that server what killed processes have left there. It returns a line for
	// each thing that it has removed, or that somebody has to look at. Nil: it has nothing to
	// clean.
	Clean func(ctx context.Context) (lines []string, err error)

	// New makes a running instance. It panics on parameters that Validate refuses.
	New func(ctx context.Context, p Params, sink Sink) Strategy
	// Open replaces New where a disk or a server may fail. In All, such a strategy also has a New,
	// whose instance refuses all tasks with the error of Open.
	Open func(ctx context.Context, p Params, sink Sink) (Strategy, error)
}

// Start makes an instance, by Open if there is one, else by New.
func (s Spec) Start(ctx context.Context, p Params, sink Sink) (Strategy, error) {
	if s.Open != nil {
		return s.Open(ctx, p, sink)
	}
	return s.New(ctx, p, sink), nil
}

// Durability is the failure that accepted tasks survive. Each level includes those before it.
type Durability int

// The levels of durability.
const (
	Volatile  Durability = iota // nothing: they are lost with the process
	KillSafe                    // the end of the process that submitted them, by SIGKILL too
	PowerSafe                   // the end of the machine: Submit returns after an fsync
)

// String says what is outlived, for a table.
func (d Durability) String() string { return [...]string{"nothing", "kill -9", "power loss"}[d] }

// Chooses names the field of a Task by which waiting tasks are chosen: priority, deadline or
// tenant; "": none of these.
func (s Spec) Chooses() string {
	switch {
	case s.ByPriority != nil:
		return "priority"
	case s.ByDeadline:
		return "deadline"
	case s.Weights != nil:
		return "tenant"
	}
	return ""
}

// Survives returns the durability with p; Volatile where it declares none.
func (s Spec) Survives(p Params) Durability {
	if s.Durability == nil {
		return Volatile
	}
	return s.Durability(p)
}

// String is the name.
func (s Spec) String() string { return s.Name }

// Validate returns an error that lists, in one line, everything invalid in p for this strategy, or
// nil.
func (s Spec) Validate(p Params) error {
	var wrong []string
	complain := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf(format, args...))
	}
	switch {
	case p.Limit < 1:
		complain("limit %d is below 1", p.Limit)
	case p.Limit > MaxLimit:
		complain("limit %d is above %d", p.Limit, MaxLimit)
	}
	switch {
	case p.Queue < 0:
		complain("queue %d is below 0", p.Queue)
	case p.Queue > MaxSlots:
		complain("queue %d is above %d", p.Queue, MaxSlots)
	case p.Queue > 0 && !s.UsesQueue:
		complain("queue %d given, but it has no queue", p.Queue)
	}
	if open := p.Values.Open(); open != "" {
		complain("%s: there is no target here whose rate is known", open)
	}
	if p.Resume != nil && s.Survives(p) == Volatile && wrong == nil {
		complain("resume given, but its tasks outlive nothing")
	}
	if wrong == nil && s.Check != nil {
		if err := s.Check(p); err != nil {
			complain("%v", err)
		}
	}
	if wrong == nil {
		return nil
	}
	return fmt.Errorf("strategy %s: %s", s.Name, strings.Join(wrong, "; "))
}

var all = registry.Set[Spec]{Kind: "strategy", Keys: func(s Spec) []param.Key { return s.Keys }}

// RegisterBuiltin is Register for package builtin: its strategies come first in All.
func RegisterBuiltin(s Spec) Spec { return all.Add(s.Name, checked(s)) }

// Builtin reports whether the strategy of that name is of package builtin.
func Builtin(name string) bool { return all.Own(name) }

// Register adds a strategy of another package to All, and so to every command, study and report.
// Call it before anything runs. It returns the Spec as All has it. It panics on a name that is
// taken or not lower_snake, and on a Spec with neither or both of New and Open.
func Register(s Spec) Spec {
	if (s.New == nil) == (s.Open == nil) {
		panic(fmt.Sprintf("strategy %s: one of New and Open is wanted", s.Name))
	}
	if s.Parts == 0 {
		s.Parts = s.parts() + 1 // the module that it is from
	}
	return all.AddOther(s.Name, checked(s))
}

// checked makes New and Open fill in the defaults of parameters that a struct literal leaves out,
// and panic on those that Validate refuses, so that no strategy has to look.
func checked(s Spec) Spec {
	if s.Parts == 0 {
		s.Parts = s.parts()
	}
	filled := func(p Params) Params {
		values, err := p.Values.OrDefaults(s.Keys)
		if err != nil {
			panic(fmt.Errorf("strategy %s: %w", s.Name, err))
		}
		p.Values = values
		if err := s.Validate(p); err != nil {
			panic(err)
		}
		return p
	}
	if open := s.Open; open != nil {
		s.Open = func(ctx context.Context, p Params, sink Sink) (Strategy, error) {
			return open(ctx, filled(p), sink)
		}
		s.New = func(ctx context.Context, p Params, sink Sink) Strategy {
			instance, err := s.Open(ctx, p, sink)
			if err != nil {
				return refusal{err}
			}
			return instance
		}
		return s
	}
	start := s.New
	s.New = func(ctx context.Context, p Params, sink Sink) Strategy {
		return start(ctx, filled(p), sink)
	}
	return s
}

// parts counts Parts from the facts.
func (s Spec) parts() int {
	n := len(s.Keys)
	for _, one := range []bool{s.UsesQueue, s.Sheds, s.Trips, s.Hedges, s.Retries,
		s.ClassPools != nil, s.Quantum != nil, s.Starts != nil, s.Needs != "", s.Chooses() != ""} {
		if one {
			n++
		}
	}
	return n
}

// A refusal is what New makes of an Open that fails.
type refusal struct{ why error }

func (r refusal) Submit(context.Context, *Task) error { return r.why }
func (r refusal) Drain(context.Context) error         { return nil }

// Starts bounds how often tasks start.
type Starts struct {
	PerSecond float64
	// Kept is the most unused starts that are saved up, as the burst of a token bucket: a task
	// takes a saved one at once. 0 stands for a ticker: one tick is kept, and the next comes when
	// it is due, not an interval after the last was taken.
	Kept int
	// Several: other bounds on starts hold as well, and this is the slowest; theory computes with
	// one.
	Several bool
}

// All returns the Specs in the order of their names, the package's own before those of others. It
// drives the contract tests, the benchmarks, `poolbench list`, the tables in docs and the colours
// of the charts.
func All() []Spec { return all.All() }

// Lookup returns the Spec of that name; the error for an unknown name lists the known ones.
func Lookup(name string) (Spec, error) { return all.Lookup(name) }
