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
	// maximum of accepted tasks that wait for a slot, if the strategy has a queue
	Queue  int
	Values param.Values // the strategy's own parameters (Spec.Keys)
	Seed   uint64       // of the random numbers that the instance draws for stages of its own
	// Resume makes a durable strategy use a named queue that outlives the instance. Nil: a new queue,
	// removed at the end of the instance.
	Resume *Resume
	// OnFault is called once when a durable strategy's store has failed, from a goroutine of the
	// instance and before any task is done with the error. Nil: the next Submit or Drain reports it.
	OnFault func(*StoreError)
}

// MaxLimit and MaxSlots are the largest Limit and Queue that Validate allows: 2²⁰ and 2²⁴. They
// catch typing errors before memory is allocated: that many goroutines with a task each need about
// 5 GB, such a queue 128 MB.
const (
	MaxLimit = 1 << 20
	MaxSlots = 1 << 24
)

// A Spec describes a strategy and makes its instances. The contract tests, and runs where possible,
// check the declared facts.
type Spec struct {
	Name    string      // lower_snake; the file is named for it
	Summary string      // one line: what it is
	UseIf   string      // completes "use it if …"
	Source  string      // where the pattern comes from
	OnPanic string      // the effect of a panic in a task, in a few words
	Adds    []Addition  // what its adapter adds to a library; nil: it adapts none
	Bare    Bare        // of one of the usual choices in Go; zero: it is none
	Keys    []param.Key // parameters of its own
	// Twin is the strategy whose runs it has under the virtual clock with default parameters. They
	// differ in cost, interface, errors or shutdown, which runs do not show. None: it has no twin.
	Twin Twin
	// Parts is the complexity, which decides ties of poolbench advise: a parameter, a queue, refusals,
	// retries, classes, steps, pacing and another module count one each. 0: counted from the declared
	// facts.
	Parts int
	// Go returns the equivalent in plain Go for p, as a statement. Nil: none is shorter than New.
	Go func(p Params) string

	// Declared facts.
	Bound func(p Params) int // most tasks in flight with p; nil: unbounded
	// maximum of tasks accepted and not done with p, including running ones. Nil: unbounded
	Capacity func(p Params) int
	// a full instance refuses with ErrShed at once. Otherwise Submit blocks until there is room
	Sheds bool
	// while too many recent tasks failed or were slow, it refuses tasks with ErrShed or gives up
	// accepted ones with it before they start, even if not full
	Trips bool
	// may run a copy of the task with its own context as a second, concurrent attempt
	Hedges  bool
	Resizes bool // an instance is a Resizer
	// the limit falls to a few slots at times, whatever Bound is, so tasks that wait for tasks of
	// their own may wait for ever
	Shrinks bool
	// slots are given in order of acceptance (see clause Order)
	FIFO           bool
	WorkConserving bool // no slot of the limit is idle while a task waits for one
	// ByPriority reports whether, with p, slots go to the largest Task.Priority first, equal ones in
	// order of acceptance. Nil: never.
	ByPriority func(p Params) bool
	// ByDeadline: slots go to the earliest Task.Deadline first, tasks without one last, equal ones in
	// order of acceptance.
	ByDeadline bool
	// Weights returns each tenant's weight for p: over any span in which two tenants have waiting
	// tasks, their starts divided by weight differ by at most 1. Nil, or a nil result: Task.Tenant is
	// ignored.
	Weights func(p Params) func(tenant int32) int
	// TenantWeights returns, for p, the weights by which waiting tenants share slots, by starts or by
	// time. Nil, or a nil result: all tenants are equal.
	TenantWeights func(p Params) func(tenant int32) int
	// KeyOrder: at most one task of a key (Task.Tenant) runs at a time, and tasks of a key start in
	// order of acceptance. A negative Tenant is no key.
	KeyOrder bool
	// carries out Result.Retry. Otherwise every attempt is the last
	Retries   bool
	UsesQueue bool // Params.Queue matters
	UsesSize  bool // Task.Size matters
	// Weighs: a running task takes Task.Weight of the limit's units (0 counts as 1). With weights
	// above 1, slots may idle while a heavy task waits for its units
	Weighs bool
	// carries out Result.Split at once with a slot per sub-task. Otherwise one after another in the
	// parent's slot
	Splits bool

	// Quantum is the longest step of a task. After each, Result.More sends the rest to the tail of the
	// queue. If Splits, it is the length of sub-tasks. Nil: tasks run whole.
	Quantum func(p Params) time.Duration
	// ClassPools returns, for p, the pools of a strategy that separates classes by Task.Class. A class
	// without a pool uses any slot. Each pool must start its tasks in order of acceptance as soon as
	// it has a slot: runs check this. Nil: one pool.
	ClassPools func(p Params) []ClassPool
	// Starts returns the bound on the rate of starts for p. Nil: only slots limit starts.
	Starts func(p Params) Starts
	// Durability returns the failures that accepted tasks survive, for p. Nil: Volatile.
	Durability func(p Params) Durability
	// Stages returns the stages that a task passes, for p. One of them runs the task. Nil: the task
	// is run, and nothing else.
	Stages func(p Params) []Stage
	// Given returns the Spec with the facts that hold for these values, if they depend on values.
	// Resolve and a run call it. Nil: they do not.
	Given func(s Spec, v param.Values) Spec
	// Check returns an error for invalid parameters of its own. Nil: all are valid.
	Check func(p Params) error

	// RealClock: it waits for a disk or server, which have no virtual time.
	RealClock bool
	Ends      bool // the first failed task cancels all others

	Counts []Counter // documents what an instance counts; empty: it is not Counted

	// Set by Compose: the innermost strategy's name, and the parts around it, outermost first.
	Base   string
	Around []string

	// Needs names a required server, such as PostgreSQL. "": none.
	Needs string
	// Ready returns an error that names a missing requirement, using environment variables only. Nil:
	// always ready.
	Ready func() error
	// Clean removes remains of killed processes from that server and returns a line for each removed
	// thing or one that needs attention. Nil: nothing to clean.
	Clean func(ctx context.Context) (lines []string, err error)

	// New makes a running instance. It panics on parameters that Validate refuses.
	New func(ctx context.Context, p Params, sink Sink) Strategy
	// Open replaces New where a disk or server may fail. In All, such a strategy also has a New, whose
	// instance refuses all tasks with Open's error.
	Open func(ctx context.Context, p Params, sink Sink) (Strategy, error)
}

// Bare is the behaviour of one of the usual choices in Go as its users get it, without this
// project's interface around it. Each is a phrase without a full stop.
type Bare struct {
	Panic  string // in a task
	Error  string // returned by a task
	Cancel string // of a submitter that waits for a slot
	Full   string // a submit without a free slot
	Drain  string // the end of what was submitted
	Resize string // while tasks run
}

// An Addition is a behaviour that the adapter of a library adds to it, so that a user of the bare
// library does not have it. Both are phrases without a full stop.
type Addition struct {
	What string `json:"what"` // the adapter's behaviour
	Bare string `json:"bare"` // that of the bare library
}

// String returns both in one line.
func (a Addition) String() string { return a.What + "; bare library: " + a.Bare }

// Start makes an instance by Open, if set, else by New.
func (s Spec) Start(ctx context.Context, p Params, sink Sink) (Strategy, error) {
	if s.Open != nil {
		return s.Open(ctx, p, sink)
	}
	return s.New(ctx, p, sink), nil
}

// Durability is the failure that accepted tasks survive. Each level includes the lower ones.
type Durability int

// The levels of durability.
const (
	Volatile  Durability = iota // nothing: they are lost with the process
	KillSafe                    // the end of the process that submitted them, by SIGKILL too
	PowerSafe                   // the end of the machine: Submit returns after an fsync
)

// String returns the survived failure, for a table.
func (d Durability) String() string { return [...]string{"nothing", "kill -9", "power loss"}[d] }

// Chooses returns the Task field that orders waiting tasks: priority, deadline, tenant or "".
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

// Survives returns the durability with p, by default Volatile.
func (s Spec) Survives(p Params) Durability {
	if s.Durability == nil {
		return Volatile
	}
	return s.Durability(p)
}

// String is the name.
func (s Spec) String() string { return s.Name }

// Validate returns a one-line error with everything invalid in p, or nil.
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

// RegisterBuiltin is Register for package builtin, whose strategies come first in All.
func RegisterBuiltin(s Spec) Spec { return all.Add(s.Name, checked(s)) }

// Builtin reports whether the named strategy belongs to package builtin.
func Builtin(name string) bool { return all.Own(name) }

// Register adds another package's strategy to All, and so to every command, study and report. Call
// it before anything runs. It returns the Spec as in All. It panics on a name that is taken or not
// lower_snake, and unless exactly one of New and Open is set.
func Register(s Spec) Spec {
	if (s.New == nil) == (s.Open == nil) {
		panic(fmt.Sprintf("strategy %s: one of New and Open is wanted", s.Name))
	}
	if s.Parts == 0 {
		s.Parts = s.parts() + 1 // the module that it is from
	}
	return all.AddOther(s.Name, checked(s))
}

// checked makes New and Open fill in default parameters and panic on parameters that Validate
// refuses.
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

// parts computes Parts from the facts.
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

// A refusal is the instance New returns when Open fails.
type refusal struct{ why error }

func (r refusal) Submit(context.Context, *Task) error { return r.why }
func (r refusal) Drain(context.Context) error         { return nil }

// Starts bounds the rate of starts.
type Starts struct {
	PerSecond float64
	// Kept is the maximum of saved starts, such as a token bucket's burst, which tasks use at once. 0
	// means a ticker: it keeps one tick, and the next comes when due, not an interval after the last
	// use.
	Kept int
	// Several: further bounds on starts apply, and this is the slowest. Theory uses one.
	Several bool
}

// All returns the Specs by name, the package's own first. Contract tests, benchmarks, `poolbench
// list`, tables in docs and chart colours use it.
func All() []Spec { return all.All() }

// Lookup returns the named Spec. The error for an unknown name lists the known ones.
func Lookup(name string) (Spec, error) { return all.Lookup(name) }
