package workloads

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/parts/registry"
)

// Work is the work of task number seq, as Workload.Do has it.
type Work = func(ctx context.Context, seq uint64) error

// Sleep waits for d, or until ctx ends, whose error it then returns.
type Sleep = func(ctx context.Context, d time.Duration) error

// Kind says what a workload spends, and so which clocks it may run under.
type Kind int

// The kinds of workloads.
const (
	Wait Kind = iota // waits, as for I/O: real and virtual clock
	CPU              // computes a counted amount: real clock only
	IO               // uses files, sockets or a database: real clock only
)

// String names the kind in lower case, as listings do.
func (k Kind) String() string {
	return [...]string{Wait: "wait", CPU: "cpu", IO: "io"}[k]
}

// A Workload is what each task costs. It is safe for concurrent use. One that holds files,
// connections or a server is an io.Closer as well, and is closed when its run is over.
type Workload interface {
	// Do is the work of task number seq: the same seed and seq are the same work, whoever runs it
	// and when. It returns ctx's error when ctx ends first.
	Do(ctx context.Context, seq uint64) error
	Mean() time.Duration // of one task, alone: exact, or calibrated
	C2() float64         // squared coefficient of variation of one task's time
}

// Distributed is what a workload whose task times follow a known distribution implements as well.
type Distributed interface{ Dist() dist.Dist }

// Timed is what a workload implements whose task times are known before the tasks run: all waits.
type Timed interface {
	// Time is how long Do(ctx, seq) waits when nothing ends it early. It does not allocate.
	Time(seq uint64) time.Duration
}

// Partitioned is what a workload implements whose tasks can be done in parts: all waits.
type Partitioned interface {
	// DoPart does the part of task seq that begins from its start and is no longer than length;
	// more reports whether the task goes on after it. The parts of a task add up to what Do does.
	DoPart(ctx context.Context, seq uint64, from, length time.Duration) (more bool, err error)
}

// Waiting is what a workload implements that waits in its tasks. It sleeps by the runtime's timers,
// which are exact under a virtual clock and up to a millisecond late under the real one, so the
// driver of a run under the real clock may know better.
type Waiting interface {
	// SleepBy gives the workload the sleep of its tasks. It is called before the first Do.
	SleepBy(sleep Sleep)
}

// Classed is what a workload implements whose tasks are of two classes, which strategies may keep
// apart.
type Classed interface {
	// Long reports whether task seq is one of the long ones. It does not allocate.
	Long(seq uint64) bool
}

// Computing is what a workload implements whose tasks either compute or wait, which strategies may
// keep apart.
type Computing interface {
	// Computes reports whether task seq computes. It does not allocate.
	Computes(seq uint64) bool
}

// MostLabels is how many priorities and tenants, from 0 on, have results of their own.
const MostLabels = 4

// Prioritised is what a workload implements whose tasks are more or less urgent.
type Prioritised interface {
	// Priority is the strategies.Task.Priority of task seq. It does not allocate.
	Priority(seq uint64) int32
	// PriorityShares are the shares of the priorities, the largest first and the last 0, where the
	// priority of a task is drawn apart from all else of it; nil: it is not.
	PriorityShares() []float64
}

// Tenanted is what a workload implements whose tasks are of several tenants.
type Tenanted interface {
	// Tenant is the strategies.Task.Tenant of task seq. It does not allocate.
	Tenant(seq uint64) int32
}

// Dated is what a workload implements whose tasks have deadlines.
type Dated interface {
	// Allowance is how long after it was due task seq is to be done; 0: it has no deadline. It does
	// not allocate.
	Allowance(seq uint64) time.Duration
}

// Served is what a workload implements whose tasks call a server that it starts itself. The run's
// target then stands in that server, where the tasks meet it across their connections, instead of
// before Do.
type Served interface {
	// Serve starts the server. wrap makes its handler of the work that serves one request. It is
	// called once, before the first Do.
	Serve(wrap func(work Work) http.Handler) error
}

// A StatusError is an HTTP answer of 400 or above.
type StatusError struct {
	Code       int
	RetryAfter time.Duration // as the answer says; 0 when it does not
}

// Error names the status.
func (e *StatusError) Error() string {
	return fmt.Sprintf("status %d %s", e.Code, http.StatusText(e.Code))
}

// A Spec describes a workload and builds it.
type Spec struct {
	Name    string
	Summary string // one line
	Source  string // paper, seed or library; may be empty
	Kind    Kind
	Keys    []param.Key
	// New builds the workload for one run. Its error names the impossible parameter.
	New func(seed uint64, v param.Values) (Workload, error)
	// Check finds the impossible parameter without building, where New is too dear for that; nil:
	// ask New.
	Check func(v param.Values) error
}

var all = registry.Set[Spec]{Kind: "workload", Keys: func(s Spec) []param.Key { return s.Keys },
	Check: Spec.check}

func (s Spec) check(v param.Values) error {
	if s.Check != nil {
		return s.Check(v)
	}
	_, err := s.New(0, v)
	return err
}

// numberFrom is a Spec.Check for an Int from least to most.
func numberFrom(key string, least, most int) func(param.Values) error {
	return func(v param.Values) error {
		if n := v.Int(key); n < least || n > most {
			return fmt.Errorf("%s: must be between %d and %d, got %d", key, least, most, n)
		}
		return nil
	}
}

// sizeUpTo is a Spec.Check for a Size from a byte to most, which is spelt so.
func sizeUpTo(key string, most int64, spelt string) func(param.Values) error {
	return func(v param.Values) error {
		if n := v.Size(key); n < 1 || n > most {
			return fmt.Errorf("%s: must be between 1 byte and %s, got %d bytes", key, spelt, n)
		}
		return nil
	}
}

// String is the name.
func (s Spec) String() string { return s.Name }

func register(s Spec) Spec { return all.Add(s.Name, checked(s)) }

// checked makes New refuse what Check does, so that no workload has to ask it.
func checked(s Spec) Spec {
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

// Register adds a workload of another package to All, before anything runs: from then on every
// command, study and report knows it by its name. It panics on a name that is taken or not
// lower_snake, and on a Spec without New.
func Register(s Spec) Spec {
	if s.New == nil {
		panic(fmt.Sprintf("workload %s: New is nil", s.Name))
	}
	return all.AddOther(s.Name, checked(s))
}

// All returns the Specs in the order of their names, the package's own before those of others.
func All() []Spec { return all.All() }

// Lookup returns the Spec of that name; the error for an unknown name lists the known ones.
func Lookup(name string) (Spec, error) { return all.Lookup(name) }
