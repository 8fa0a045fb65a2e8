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
	Limit int // maximum of tasks in flight; at least 1
	// maximum of waiting tasks, if the strategy has a queue
	Queue  int
	Values param.Values // the strategy's own parameters (Spec.Keys)
	Seed   uint64       // of the random numbers that the instance draws for stages of its own
	// Resume names a queue that outlives the instance. Nil: a new queue, removed at the end.
	Resume *Resume
	// OnFault is called once, from a goroutine of the instance, when its store has failed, before
	// any task is done with the error. It may be nil.
	OnFault func(*StoreError)
}

// MaxLimit and MaxSlots are the largest valid Limit and Queue. 2²⁰ goroutines with a task each need
// about 5 GB, a queue of 2²⁴ tasks 128 MB.
const (
	MaxLimit = 1 << 20
	MaxSlots = 1 << 24
)

// A Spec describes a strategy and makes its instances.
type Spec struct {
	Name    string      // lower_snake, the name of its file
	Summary string      // one line
	UseIf   string      // completes "use it if …"
	Source  string      // origin of the pattern
	OnPanic string      // the effect of a panic in a task, in a few words
	Adds    []Addition  // what its adapter adds to a library; nil: it adapts none
	Bare    Bare        // behaviour of the plain Go pattern or library; zero: not documented
	Keys    []param.Key // its own parameters
	// Twin is the strategy with the same runs under the virtual clock and default parameters.
	Twin Twin
	// Parts is the complexity, which decides ties of poolbench advise: one each for a parameter, a
	// queue, refusals, retries, classes, steps, pacing and another module. 0: counted from the
	// facts.
	Parts int
	// Go returns equivalent Go statements that are shorter than New. Nil: there are none.
	Go func(p Params) string

	// Declared facts, which the contract in the package documentation defines.
	Bound func(p Params) int // maximum of tasks in flight with p; nil: unbounded
	// maximum of accepted tasks that are not done, including running ones; nil: unbounded
	Capacity func(p Params) int
	// a full instance refuses with ErrShed; otherwise Submit blocks
	Sheds bool
	// sheds tasks while too many recent tasks failed or were slow
	Trips bool
	// may run a copy of the task as a concurrent second attempt
	Hedges  bool
	Resizes bool // an instance is a Resizer
	// the limit can fall to a few slots, so a task that waits for its own sub-task may deadlock
	Shrinks        bool
	FIFO           bool
	WorkConserving bool // no slot is idle while a task waits for one
	// reports whether the largest Task.Priority starts first; nil: never
	ByPriority func(p Params) bool
	// the earliest Task.Deadline starts first
	ByDeadline bool
	// Weights returns each tenant's weight for clause Fair. Nil, or a nil result: no fair shares.
	Weights func(p Params) func(tenant int32) int
	// TenantWeights returns the weights by which waiting tenants share slots, by starts or by time.
	// Nil, or a nil result: all are equal.
	TenantWeights func(p Params) func(tenant int32) int
	// tasks of a key (Task.Tenant) run one at a time in order of acceptance
	KeyOrder bool
	// carries out Result.Retry; otherwise every attempt is final
	Retries   bool
	UsesQueue bool // Params.Queue matters
	UsesSize  bool // Task.Size matters
	// a running task uses Task.Weight units of the limit; slots may idle while a heavy task waits
	Weighs bool
	// runs the sub-tasks of Result.Split in parallel
	Splits bool

	// Quantum is the maximum length of a step or, if Splits, of a sub-task. Nil: tasks are not
	// divided.
	Quantum func(p Params) time.Duration
	// ClassPools returns one pool per class, each FIFO and work-conserving. A class without a pool
	// uses any slot. Nil: one pool.
	ClassPools func(p Params) []ClassPool
	// Starts returns the maximum rate of starts. Nil: only slots limit starts.
	Starts     func(p Params) Starts
	Durability func(p Params) Durability
	// Stages returns the stages that a task passes, one of which runs it. Nil: only that stage.
	Stages func(p Params) []Stage
	// Given returns the Spec with the facts for these values. Nil: they do not depend on values.
	Given func(s Spec, v param.Values) Spec
	// Check returns an error for invalid Values. It may be nil.
	Check func(p Params) error

	// RealClock means that the strategy waits for a disk or server and cannot use virtual time.
	RealClock bool
	Ends      bool // the first failed task cancels all others

	Counts []Counter // documents the counts of an instance; empty: it is not Counted

	// Set by Compose: the name of the innermost strategy, and its parts, outermost first.
	Base   string
	Around []string

	// Needs names a required server, such as PostgreSQL. "": none.
	Needs string
	// Ready returns an error that names a missing requirement, from environment variables only. It
	// may be nil.
	Ready func() error
	// Clean removes the queues of killed processes. It returns a line for each queue that it
	// removed or that needs attention. It may be nil.
	Clean func(ctx context.Context) (lines []string, err error)

	// New makes a running instance. It panics on parameters that Validate refuses.
	New func(ctx context.Context, p Params, sink Sink) Strategy
	// Open replaces New if a disk or server may fail. Register then adds a New, whose instance
	// refuses all tasks with Open's error.
	Open func(ctx context.Context, p Params, sink Sink) (Strategy, error)
}

// Bare describes a common Go pattern or library. Each field is a phrase.
type Bare struct {
	Panic  string // effect of a panic in a task
	Error  string // handling of a task's error
	Cancel string // how to cancel the wait for a slot
	Full   string // effect of a submit without a free slot
	Drain  string // how to wait for the submitted tasks
	Resize string // how to change the limit while tasks run
}

// An Addition is a behaviour that an adapter adds to a library. Both fields are phrases.
type Addition struct {
	What string `json:"what"` // behaviour of the adapter
	Bare string `json:"bare"` // behaviour of the bare library
}

func (a Addition) String() string { return a.What + "; bare library: " + a.Bare }

// Start makes an instance with Open, if set, or New.
func (s Spec) Start(ctx context.Context, p Params, sink Sink) (Strategy, error) {
	if s.Open != nil {
		return s.Open(ctx, p, sink)
	}
	return s.New(ctx, p, sink), nil
}

// Durability is the failure that accepted tasks survive. Each level includes the lower ones.
type Durability int

const (
	Volatile  Durability = iota // none: tasks are lost with the process
	KillSafe                    // the end of the submitting process, including SIGKILL
	PowerSafe                   // the end of the machine: Submit returns after an fsync
)

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

// Survives returns the durability for p, by default Volatile.
func (s Spec) Survives(p Params) Durability {
	if s.Durability == nil {
		return Volatile
	}
	return s.Durability(p)
}

func (s Spec) String() string { return s.Name }

// Validate returns a one-line error that lists everything invalid in p.
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
		complain("%s: there is no target with a known rate", open)
	}
	if p.Resume != nil && s.Survives(p) == Volatile && wrong == nil {
		complain("resume given, but its tasks do not survive the process")
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
func RegisterBuiltin(s Spec) Spec { return all.Add(s.Name, withValidation(s)) }

// Builtin reports whether the named strategy belongs to package builtin.
func Builtin(name string) bool { return all.IsOwn(name) }

// Register adds a strategy to All, and so to all commands, studies and reports, and returns its
// Spec as in All. It panics if the name is registered already or is not lower_snake, and unless
// exactly one of New and Open is set.
func Register(s Spec) Spec {
	if (s.New == nil) == (s.Open == nil) {
		panic(fmt.Sprintf("strategy %s: one of New and Open is wanted", s.Name))
	}
	if s.Parts == 0 {
		s.Parts = s.countParts() + 1 // the module that it comes from
	}
	return all.AddOther(s.Name, withValidation(s))
}

func withValidation(s Spec) Spec {
	if s.Parts == 0 {
		s.Parts = s.countParts()
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
				return failedInstance{err}
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

func (s Spec) countParts() int {
	n := len(s.Keys)
	for _, one := range []bool{s.UsesQueue, s.Sheds, s.Trips, s.Hedges, s.Retries,
		s.ClassPools != nil, s.Quantum != nil, s.Starts != nil, s.Needs != "", s.Chooses() != ""} {
		if one {
			n++
		}
	}
	return n
}

type failedInstance struct{ why error }

func (r failedInstance) Submit(context.Context, *Task) error { return r.why }
func (r failedInstance) Drain(context.Context) error         { return nil }

// Starts limits the rate of starts.
type Starts struct {
	PerSecond float64
	// maximum of saved starts; 0: a ticker, which keeps one tick
	Kept int
	// more limits on the rate apply, and this is the slowest
	Several bool
}

// All returns the Specs by name, those of package builtin first.
func All() []Spec { return all.All() }

// Lookup returns the named Spec. The error for an unknown name lists the known names.
func Lookup(name string) (Spec, error) { return all.Lookup(name) }
