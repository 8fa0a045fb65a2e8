package workloads

import (
	"context"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
)

// Work does the work of task number seq, as Workload.Do does.
type Work = func(ctx context.Context, seq uint64) error

// Sleep waits for d, or returns ctx's error when ctx ends first.
type Sleep = func(ctx context.Context, d time.Duration) error

// Kind is the resource that a workload uses, which decides the clocks that it may run under.
type Kind int

// The kinds of workloads.
const (
	Wait Kind = iota // waits, as for I/O: real and virtual clock
	CPU              // computes a counted amount: real clock only
	IO               // uses files, sockets or a database: real clock only
)

func (k Kind) String() string {
	return [...]string{Wait: "wait", CPU: "cpu", IO: "io"}[k]
}

// A Workload does the work of tasks. It is safe for concurrent use, and may be an io.Closer, closed
// after its run. The methods of the interfaces below that describe task seq do not allocate.
type Workload interface {
	// The work is determined by seed and seq. Do returns ctx's error when ctx ends first.
	Do(ctx context.Context, seq uint64) error
	Mean() time.Duration // of one task on an idle machine: exact, or calibrated
	C2() float64         // squared coefficient of variation of one task's time
}

// Distributed is implemented by workloads whose task times follow a known distribution.
type Distributed interface{ Dist() dist.Dist }

// Timed is implemented by workloads whose task times are known in advance: all waits.
type Timed interface {
	// Time returns how long Do(ctx, seq) waits unless ctx ends first.
	Time(seq uint64) time.Duration
}

// Partitioned is implemented by workloads whose tasks can be done in parts: all waits.
type Partitioned interface {
	// DoPart does the part of task seq that starts at offset from, at most length long. more
	// reports whether another part follows.
	DoPart(ctx context.Context, seq uint64, from, length time.Duration) (more bool, err error)
}

// Waiting is implemented by workloads whose tasks wait. Runtime timers are up to a millisecond late
// under the real clock, where the driver may set a better sleep.
type Waiting interface {
	// SleepBy is called before the first Do.
	SleepBy(sleep Sleep)
}

// Classed is implemented by workloads with short and long tasks.
type Classed interface {
	Long(seq uint64) bool
}

// Computing is implemented by workloads whose tasks either compute or wait.
type Computing interface {
	Computes(seq uint64) bool
}

// MaxLabels is the number of priorities and of tenants, from 0 on, with separate results.
const MaxLabels = 4

// Prioritised is implemented by workloads whose tasks have priorities.
type Prioritised interface {
	Priority(seq uint64) int32
	// PriorityShares returns the shares of priorities, from the largest down to 0, or nil if
	// priorities are not drawn independently.
	PriorityShares() []float64
}

// Tenanted is implemented by workloads whose tasks belong to several tenants.
type Tenanted interface {
	Tenant(seq uint64) int32
}

// Dated is implemented by workloads whose tasks have deadlines.
type Dated interface {
	// Allowance returns the deadline relative to the due instant, or 0.
	Allowance(seq uint64) time.Duration
}

// A StatusError is an HTTP answer of 400 or above.
type StatusError struct {
	Code       int
	RetryAfter time.Duration // from the answer's header; 0 without one
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("status %d %s", e.Code, statusText(e.Code))
}

// A Spec describes a workload and builds it.
type Spec struct {
	Name    string
	Summary string // one line
	Source  string // paper, seed or library; may be empty
	Kind    Kind
	Keys    []param.Key
	// New builds the workload for one run. Its error names the invalid parameter.
	New func(seed uint64, v param.Values) (Workload, error)
	// Check returns the error of New without its cost. Nil: New is cheap.
	Check func(v param.Values) error
}

var all = registry.Set[Spec]{Kind: "workload", Keys: func(s Spec) []param.Key { return s.Keys },
	Check: Spec.check}

func (s Spec) check(v param.Values) error {
	if _, err := s.Weights(0, v); err != nil {
		return err
	}
	if s.Check != nil {
		return s.Check(v)
	}
	_, err := s.New(0, v)
	return err
}

func numberFrom(key string, least, most int) func(param.Values) error {
	return func(v param.Values) error {
		if n := v.Int(key); n < least || n > most {
			return fmt.Errorf("%s: must be between %d and %d, got %d", key, least, most, n)
		}
		return nil
	}
}

func sizeUpTo(key string, most int64, spelt string) func(param.Values) error {
	return func(v param.Values) error {
		if n := v.Size(key); n < 1 || n > most {
			return fmt.Errorf("%s: must be between 1 byte and %s, got %d bytes", key, spelt, n)
		}
		return nil
	}
}

func (s Spec) String() string { return s.Name }

func register(s Spec) Spec { return all.Add(s.Name, checked(s)) }

// checked adds the parameter for weights, and makes New call Check.
func checked(s Spec) Spec {
	s = s.withWeights()
	start := s.New
	s.New = func(seed uint64, v param.Values) (Workload, error) {
		if s.Check != nil {
			if err := s.Check(v); err != nil {
				return nil, err
			}
		}
		return start(seed, v)
	}
	return s
}

// Register adds a workload to All, and so to every command, study and report. Call it before
// anything runs. It panics on a name that is taken or not lower_snake, and on a Spec without New.
func Register(s Spec) Spec {
	if s.New == nil {
		panic(fmt.Sprintf("workload %s: New is nil", s.Name))
	}
	return all.AddOther(s.Name, checked(s))
}

// All returns the Specs by name, the package's own before others.
func All() []Spec { return all.All() }
