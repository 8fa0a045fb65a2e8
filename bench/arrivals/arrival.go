package arrivals

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
)

// Next returns when the next task is due, counted from the start of the run. It never decreases
// from call to call.
type Next func() time.Duration

// Clients is a closed process: Count clients, each of which thinks before every task.
type Clients struct {
	Count int
	Think dist.Dist
}

// Bursts describes how the arrivals of a steady process depend on each other.
type Bursts struct {
	// Dispersion is the variance of the number of arrivals in a long time over its mean: 1 for
	// Poisson arrivals, 0 for equal gaps, more for bursts.
	Dispersion float64
	// Memory is the number of arrivals after which the next ones hardly depend on the first: the
	// correlation time of the rate, times the mean rate.
	Memory float64
}

// A Spec describes an arrival process. Exactly one of Open and Closed is set.
type Spec struct {
	Name    string
	Summary string // one line
	Source  string
	Keys    []param.Key
	// FixedRate says what the process does about the rate. Nil: it takes the rate of the scenario.
	// Otherwise it returns true where v settles the intensity by itself, so that a scenario may not
	// give a load or a rate.
	FixedRate func(v param.Values) bool
	// AllAtOnce: every task is due at the start, so the scenario must say how many there are.
	AllAtOnce bool
	// Unsteady: the rate itself changes as the run goes on, so that a response which does too is
	// what was asked for, and no doubt.
	Unsteady bool
	// Bursts describes how arrivals of a steady process at that rate depend on each other, from
	// which the length of a run follows that its statistics need. Nil: nobody knows.
	Bursts func(rate float64, v param.Values) Bursts
	// Tasks is how many there are, of a process that comes to an end; nil: it goes on.
	Tasks func(v param.Values) int
	// Doubt is what makes the plan doubtful, in a line; nil, or "": nothing.
	Doubt func(v param.Values) string
	// Stages are those that the rate goes through, from the start of a run on, so that results are
	// told for each. Nil: it has none.
	Stages func(v param.Values) []Stage
	// Open plans an open process: rate is in tasks per second (0 where FixedRate). Its error names
	// the impossible parameter.
	Open func(rate float64, seed uint64, v param.Values) (Next, error)
	// Closed describes a closed process.
	Closed func(v param.Values) (Clients, error)
}

var all = registry.Set[Spec]{Kind: "arrival", Keys: func(s Spec) []param.Key { return s.Keys },
	Check: Spec.check}

// check builds the process once, which is cheap, so that impossible parameters are refused before
// anything runs.
func (s Spec) check(v param.Values) (err error) {
	if s.Closed != nil {
		_, err = s.Closed(v)
	} else {
		_, err = s.Open(MostRate, 0, v) // the rate at which the least is impossible: see CheckPlan
	}
	return err
}

// String is the name.
func (s Spec) String() string { return s.Name }

func register(s Spec) Spec { return all.Add(s.Name, s.eitherWay()) }

// Register adds an arrival process of another package to All, before anything runs: from then on
// every command, study and report knows it by its name. It panics on a name that is taken or not
// lower_snake, and on a Spec that is neither open nor closed, or both.
func Register(s Spec) Spec { return all.AddOther(s.Name, s.eitherWay()) }

func (s Spec) eitherWay() Spec {
	if (s.Open == nil) == (s.Closed == nil) {
		panic(fmt.Sprintf("arrival %s is to be either open or closed", s.Name))
	}
	return s
}

// All returns the Specs in the order of their names, the package's own before those of others.
func All() []Spec { return all.All() }

// Lookup returns the Spec of that name; the error for an unknown name lists the known ones.
func Lookup(name string) (Spec, error) { return all.Lookup(name) }

// A Variant is an arrival process with its parameters: what a scenario names.
type Variant struct{ param.Variant[Spec] }

// Parse reads name or name:key=value,… of a process that is registered, and checks the parameters.
func Parse(text string) (Variant, error) {
	v, err := registry.Parse(&all, text)
	return Variant{v}, err
}

// MustParse is Parse for text in a program: a mistake panics.
func MustParse(text string) Variant { return Variant{registry.MustParse(&all, text)} }

// Resolve is Parse for a name and parameters that have been split already.
func Resolve(c param.Call) (Variant, error) {
	v, err := registry.Resolve(&all, c)
	return Variant{v}, err
}

// IsClosed reports whether completions trigger the arrivals.
func (v Variant) IsClosed() bool { return v.Spec.Closed != nil }

// TakesRate reports whether the scenario has to give a load or a rate.
func (v Variant) TakesRate() bool {
	return !v.IsClosed() && !v.Spec.AllAtOnce &&
		(v.Spec.FixedRate == nil || !v.Spec.FixedRate(v.Values))
}

// Bursts returns how the arrivals at that rate depend on each other; known is false if the process
// does not declare it.
func (v Variant) Bursts(rate float64) (b Bursts, known bool) {
	if v.Spec.Bursts == nil {
		return Bursts{}, false
	}
	return v.Spec.Bursts(rate, v.Values), true
}

// Tasks is how many tasks the process has; 0 where it goes on for as long as the run does.
func (v Variant) Tasks() int {
	if v.Spec.Tasks == nil {
		return 0
	}
	return v.Spec.Tasks(v.Values)
}

// Planned counts the tasks of an open process that are due within that time, up to most: a plan is
// a function of its seed. It costs some 20 ns a task.
func (v Variant) Planned(
	rate float64, seed uint64, within time.Duration, most int,
) (tasks int, err error) {
	next, err := v.Spec.Open(rate, seed, v.Values)
	if err != nil {
		return 0, err
	}
	for tasks < most && next() <= within {
		tasks++
	}
	return tasks, nil
}
