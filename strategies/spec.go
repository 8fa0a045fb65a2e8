package strategies

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/parts/registry"
)

// Params are the settings that an instance is made with.
type Params struct {
	Limit int // most tasks in flight; at least 1
	// accepted tasks that may wait for a slot, where the strategy has a queue; at least 0
	Queue  int
	Values param.Values // the strategy's own parameters (Spec.Keys)
	// Resume has a durable strategy go on with a queue that outlives the instance; nil: it has a
	// new queue, which is removed when the instance has ended.
	Resume *Resume
	// OnFault is called once when the store of a durable strategy has failed, from a goroutine of
	// the instance and before any task is done with the error; nil: nobody is told before the next
	// Submit or Drain.
	OnFault func(*StoreError)
}

// MaxLimit and MaxSlots are the largest Limit and the largest Queue that Validate lets pass: 2²⁰
// and 2²⁴. They catch slips of the keyboard before they become an allocation: so many goroutines
// with a task each are some 5 GB, a queue of this size is 128 MB.
const (
	MaxLimit = 1 << 20
	MaxSlots = 1 << 24
)

// A Spec describes a strategy and makes instances of it. What it declares is what the contract
// tests hold it to, and what the driver may check on every run.
type Spec struct {
	Name    string      // lower_snake; the file is named for it
	Summary string      // one line: what it is
	UseIf   string      // completes "use it if …"
	Source  string      // where the pattern comes from
	OnPanic string      // what becomes of a panic in a task, in a few words
	Keys    []param.Key // parameters of its own
	// Parts is how simple it is to have, less being simpler: what has to be chosen, sized, handled
	// or imported for it. A parameter, a queue, refusals, retries, classes, steps, pacing and
	// another module are one each. 0 is counted from the facts; one that has more says so.
	// It decides ties of poolbench advise.
	Parts int
	// Go is the idiom in plain Go that it stands for, with p, for a reader who wants no library: a
	// statement. Nil: there is none shorter than New.
	Go func(p Params) string

	// Declared facts.
	Bound func(p Params) int // most tasks in flight with p; nil: unbounded
	// most tasks accepted and not done with p, running ones included; nil: unbounded
	Capacity func(p Params) int
	// a full instance refuses with ErrShed at once; otherwise Submit blocks until there is room
	Sheds bool
	// while too many of the tasks before failed or were slow, it refuses with ErrShed, or gives up
	// before the start with it, whether it is full or not
	Trips bool
	// it may run a task a second time beside the first: a copy of it, with a context of its own
	Hedges  bool
	Resizes bool // an instance is a Resizer
	// slots of the limit are given in the order of acceptance (clause Order says exactly)
	FIFO           bool
	WorkConserving bool // no slot of the limit is idle while a task waits for one
	// ByPriority says whether slots are given by Task.Priority with p, the larger first, and among
	// equal ones in the order of acceptance; nil: they are not.
	ByPriority func(p Params) bool
	// ByDeadline: slots are given by Task.Deadline, the earlier first, those without one last, and
	// among equal ones in the order of acceptance.
	ByDeadline bool
	// Weights are the shares of tenants, with p: over any span in which two have tasks waiting, how
	// many of either start, divided by its weight, differs by 1 at most. Nil, or nil with p: the
	// Tenant of a task does not matter.
	Weights func(p Params) func(tenant int32) int
	// carries out Result.Retry; otherwise an attempt that asks for another is the last
	Retries   bool
	UsesQueue bool // Params.Queue matters
	UsesSize  bool // Task.Size matters
	// carries out Result.Split at once, each sub-task in a slot of its own; otherwise one after
	// another in the parent's
	Splits bool

	// Quantum is the longest step that tasks are asked to come in; after each, Result.More sends
	// the rest to the tail of the queue. If Splits, it is the length of the sub-tasks that they are
	// asked to split into. Nil: tasks come whole.
	Quantum func(p Params) time.Duration
	// ClassPools are the pools of a strategy that separates tasks, with p: Task.Class decides where
	// a task goes, and one whose class has no class pool takes any slot. Each pool starts its tasks
	// in the order of acceptance, as soon as it has a free slot: runs are held to that. Nil: it has
	// one pool for all.
	ClassPools func(p Params) []ClassPool
	// Starts is how often tasks may start, with p. Nil: as often as there are slots.
	Starts func(p Params) Starts
	// Durability is what an accepted task outlives, with p; nil: nothing.
	Durability func(p Params) Durability
	// Check refuses parameters of the strategy's own that are impossible; nil: there are none.
	Check func(p Params) error

	// RealClock: it waits for a disk or a server, which know no virtual time.
	RealClock bool
	Ends      bool // the first task that fails ends all others

	Counts []Counter // what an instance counts (Counted); none: nothing

	// Compose sets them: the name of what is innermost, and the parts around it, outermost first.
	Base   string
	Around []string

	// Needs names the server that it uses, such as PostgreSQL; "": none.
	Needs string
	// Ready says what is missing for it to run here, without looking further than the environment;
	// nil: it always is.
	Ready func() error

	// New makes a running instance. It panics on parameters that Validate refuses.
	New func(ctx context.Context, p Params, sink Sink) Strategy
	// Open is there instead of New where a disk or a server may refuse. In All, such a strategy has
	// a New too, whose instance refuses all tasks with the error of Open.
	Open func(ctx context.Context, p Params, sink Sink) (Strategy, error)
}

// Start is Open, or New.
func (s Spec) Start(ctx context.Context, p Params, sink Sink) (Strategy, error) {
	if s.Open != nil {
		return s.Open(ctx, p, sink)
	}
	return s.New(ctx, p, sink), nil
}

// Durability is what accepted tasks outlive. Each level includes those before it.
type Durability int

// The levels of durability.
const (
	Volatile  Durability = iota // nothing: they are lost with the process
	KillSafe                    // the end of the process that submitted them, by SIGKILL too
	PowerSafe                   // the end of the machine: Submit returns after an fsync
)

// String says what is outlived, for a table.
func (d Durability) String() string { return [...]string{"nothing", "kill -9", "power loss"}[d] }

// Chooses names what a task says of itself and by which it is chosen among those that wait:
// priority, deadline or tenant; "": nothing of these.
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

// Survives is s.Durability of p.
func (s Spec) Survives(p Params) Durability {
	if s.Durability == nil {
		return Volatile
	}
	return s.Durability(p)
}

// String is the name.
func (s Spec) String() string { return s.Name }

// Validate says in one line all that is wrong with p for this strategy, or returns nil.
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

// RegisterBuiltin is Register for package builtin, whose strategies come before all others in All.
func RegisterBuiltin(s Spec) Spec { return all.Add(s.Name, checked(s)) }

// Register adds a strategy of another package to All, before anything runs: from then on every
// command, study and report knows it by its name. It returns what All has. It panics on a name that
// is taken or not lower_snake, and on a Spec with neither or both of New and Open.
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
	// Kept is how many starts are kept that nobody used: a task takes one of them at once. 0 stands
	// for the ticks of a clock, of which one is kept and the next comes when it is due, not an
	// interval after the last was taken.
	Kept int
	// Several bounds hold at once, of which this is the slowest: theory knows one.
	Several bool
}

// All returns the Specs in the order of their names, the package's own before those of others. It
// drives the contract tests, the benchmarks, `poolbench list`, the README's table and the colours
// of the charts.
func All() []Spec { return all.All() }

// Lookup returns the Spec of that name; the error for an unknown name lists the known ones.
func Lookup(name string) (Spec, error) { return all.Lookup(name) }
