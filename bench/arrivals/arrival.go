package arrivals

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
)

// Next returns the due time of the next task since the start of the run. It never decreases.
type Next func() time.Duration

// Clients describes a closed process, in which each of Count clients thinks before every task.
type Clients struct {
	Count int
	Think dist.Dist
}

// Bursts describes the dependence of a steady process's arrivals.
type Bursts struct {
	// Dispersion is the variance of the number of arrivals in long windows over its mean. It is 1
	// for Poisson arrivals, 0 for equal gaps, and more for bursts.
	Dispersion float64
	// Memory is the number of consecutive arrivals that depend on each other: the correlation time
	// of the rate times the mean rate.
	Memory float64
}

// A Spec describes an arrival process. Exactly one of Open and Closed is set.
type Spec struct {
	Name    string
	Summary string // one line
	Source  string
	Keys    []param.Key
	// FixedRate reports whether v determines the rate, so the scenario must not.
	FixedRate func(v param.Values) bool
	// every task is due at the start, so the scenario must give their number
	AllAtOnce bool
	// the rate changes during the run
	Unsteady bool
	// nil: unknown
	Bursts func(rate float64, v param.Values) Bursts
	// nil: infinite
	Tasks func(v param.Values) int
	// Doubt returns in one line why the plan is doubtful, or "".
	Doubt  func(v param.Values) string
	Stages func(v param.Values) []Stage
	// rate is in tasks per second, 0 with FixedRate. The error names the invalid parameter.
	Open   func(rate float64, seed uint64, v param.Values) (Next, error)
	Closed func(v param.Values) (Clients, error)
}

var all = registry.Set[Spec]{Kind: "arrival", Keys: func(s Spec) []param.Key { return s.Keys },
	Check: Spec.check}

func (s Spec) check(v param.Values) (err error) {
	if s.Closed != nil {
		_, err = s.Closed(v)
	} else {
		_, err = s.Open(MaxRate, 0, v) // the least restrictive rate; CheckPlan has the actual rate
	}
	return err
}

func (s Spec) String() string { return s.Name }

func register(s Spec) Spec { return all.Add(s.Name, s.checkOpenOrClosed()) }

// Register adds an arrival process of another package to All, before any run starts. It panics if
// the name is in use or not in lower_snake.
func Register(s Spec) Spec { return all.AddOther(s.Name, s.checkOpenOrClosed()) }

func (s Spec) checkOpenOrClosed() Spec {
	if (s.Open == nil) == (s.Closed == nil) {
		panic(fmt.Sprintf("arrival %s must be either open or closed", s.Name))
	}
	return s
}

// All returns the Specs sorted by name, this package's before those of other packages.
func All() []Spec { return all.All() }

// A Variant is an arrival process with its parameters.
type Variant struct{ param.Variant[Spec] }

// Parse parses name or name:key=value,… of a registered process and checks the parameters.
func Parse(text string) (Variant, error) {
	v, err := registry.Parse(&all, text)
	return Variant{v}, err
}

// MustParse is Parse for constants. It panics on errors.
func MustParse(text string) Variant { return Variant{registry.MustParse(&all, text)} }

// Resolve is Parse for a split name and parameters.
func Resolve(c param.Call) (Variant, error) {
	v, err := registry.Resolve(&all, c)
	return Variant{v}, err
}

// IsClosed reports whether completions trigger the arrivals.
func (v Variant) IsClosed() bool { return v.Spec.Closed != nil }

// TakesRate reports whether the scenario must give a load or a rate.
func (v Variant) TakesRate() bool {
	return !v.IsClosed() && !v.Spec.AllAtOnce &&
		(v.Spec.FixedRate == nil || !v.Spec.FixedRate(v.Values))
}

// Bursts describes the arrivals at that rate. known is false if the process does not declare it.
func (v Variant) Bursts(rate float64) (b Bursts, known bool) {
	if v.Spec.Bursts == nil {
		return Bursts{}, false
	}
	return v.Spec.Bursts(rate, v.Values), true
}

// Tasks returns the number of tasks of a finite process, otherwise 0.
func (v Variant) Tasks() int {
	if v.Spec.Tasks == nil {
		return 0
	}
	return v.Spec.Tasks(v.Values)
}

// Planned counts the tasks that are due within that time, up to most. It costs about 20 ns per
// task.
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
