package arrivals

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/internal/dist"
	"github.com/poolbench/poolbench/internal/param"
	"github.com/poolbench/poolbench/internal/registry"
)

// Next returns when the next task is due, counted from the start of the run. It never decreases from call to call.
type Next func() time.Duration

// Clients is a closed process: Count clients, each of which thinks before every task.
type Clients struct {
	Count int
	Think dist.Dist
}

// A Spec describes an arrival process. Exactly one of Open and Closed is set.
type Spec struct {
	Name    string
	Summary string // one line
	Source  string
	Keys    []param.Key
	// FixedRate says what the process does about the rate. Nil: it takes the rate of the scenario. Otherwise it returns
	// true where v settles the intensity by itself, so that a scenario may not give a load or a rate.
	FixedRate func(v param.Values) bool
	// AllAtOnce: every task is due at the start, so the scenario must say how many there are.
	AllAtOnce bool
	// Open plans an open process: rate is in tasks per second (0 where FixedRate). Its error names the impossible parameter.
	Open func(rate float64, seed uint64, v param.Values) (Next, error)
	// Closed describes a closed process.
	Closed func(v param.Values) (Clients, error)
}

var all = registry.Set[Spec]{Kind: "arrival"}

func register(s Spec) Spec {
	if (s.Open == nil) == (s.Closed == nil) {
		panic(fmt.Sprintf("arrivals: %s is to be either open or closed", s.Name))
	}
	return all.Add(s.Name, s)
}

// All returns the Specs in the order of their names.
func All() []Spec { return all.All() }

// Lookup returns the Spec of that name; the error for an unknown name lists the known ones.
func Lookup(name string) (Spec, error) { return all.Lookup(name) }

// A Variant is an arrival process with its parameters.
type Variant struct {
	Spec   Spec
	Values param.Values
}

// ParseVariant looks up the process of a call and checks its parameters.
func ParseVariant(c param.Call) (Variant, error) {
	spec, err := Lookup(c.Name)
	if err != nil {
		return Variant{}, err
	}
	values, err := param.Resolve(spec.Keys, c.Args)
	if err != nil {
		return Variant{}, fmt.Errorf("arrival %s: %w", c.Name, err)
	}
	v := Variant{spec, values}
	if err := v.check(); err != nil {
		return Variant{}, fmt.Errorf("arrival %s: %w", c.Name, err)
	}
	return v, nil
}

// check builds the process once, which is cheap, so that impossible parameters are refused before anything runs.
func (v Variant) check() error {
	if v.IsClosed() {
		_, err := v.Spec.Closed(v.Values)
		return err
	}
	_, err := v.Spec.Open(1, 0, v.Values)
	return err
}

// IsClosed reports whether completions trigger the arrivals.
func (v Variant) IsClosed() bool { return v.Spec.Closed != nil }

// TakesRate reports whether the scenario has to give a load or a rate.
func (v Variant) TakesRate() bool {
	return !v.IsClosed() && !v.Spec.AllAtOnce && (v.Spec.FixedRate == nil || !v.Spec.FixedRate(v.Values))
}

// String is the canonical spelling: the name, then the parameters that are not at their defaults.
func (v Variant) String() string {
	if c := v.Values.Canonical(); c != "" {
		return v.Spec.Name + ":" + c
	}
	return v.Spec.Name
}
