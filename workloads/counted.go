package workloads

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/alone"
)

// calibrated has what is found out about this machine, for the life of the process.
var calibrated = new(alone.Calibration)

// amount is the size of the tasks of CPU work whose time is a line in its units: the parameter
// mean, or a count in its place.
type amount struct {
	count param.Key // an Int or a Size, 0 by default
	work  alone.Work
}

// keys are the two parameters.
func (a amount) keys() []param.Key {
	a.count.Default = "0"
	return []param.Key{
		{Name: "mean", Kind: param.Duration, Default: "1ms",
			Doc: "time of a task alone on this machine, which gives the number of " + a.count.Name},
		a.count,
	}
}

// spec completes the Spec of work in that amount, of which start makes tasks of so many units.
func (a amount) spec(s Spec, start func(seed uint64, units int, takes equal) Workload) Spec {
	s.Kind, s.Keys, s.Check = CPU, a.keys(), a.check
	s.New = func(seed uint64, v param.Values) (Workload, error) {
		units, takes, err := a.of(v)
		if err != nil {
			return nil, err
		}
		return start(seed, units, takes), nil
	}
	return s
}

// given is the count, 0 where mean stands for it.
func (a amount) given(v param.Values) int64 {
	if a.count.Kind == param.Size {
		return v.Size(a.count.Name)
	}
	return int64(v.Int(a.count.Name))
}

// check finds what is impossible without calibration.
func (a amount) check(v param.Values) error {
	name, n := a.count.Name, a.given(v)
	switch {
	case v.Given("mean") && v.Given(name):
		return fmt.Errorf("%s: give either %s or mean, not both", name, name)
	case n < 0:
		return fmt.Errorf("%s: must be positive, got %d", name, n)
	case n > math.MaxInt32:
		return fmt.Errorf("%s: must be at most %d, got %d", name, math.MaxInt32, n)
	}
	_, err := positiveMean(v)
	return err
}

// of calibrates. It returns the units of a task, and the time that they take.
func (a amount) of(v param.Values) (units int, takes equal, err error) {
	if err := a.check(v); err != nil {
		return 0, equal{}, err
	}
	l, err := calibrated.Line(a.work)
	if err != nil {
		return 0, equal{}, err
	}
	units = int(a.given(v))
	if units == 0 {
		mean := v.Duration("mean")
		exact := math.Round((float64(mean) - l.Fixed) / l.PerUnit)
		if exact < 1 || 2*float64(mean) < l.PerUnit || exact > math.MaxInt32 {
			// on a busy machine, fixed may come out below 0
			return 0, equal{}, fmt.Errorf("mean: %v would be %.0f %s on this machine, want 1 to %d",
				mean, max(0, float64(mean)/l.PerUnit), a.count.Name, math.MaxInt32)
		}
		units = int(exact)
	}
	return units, equal{l.Time(units)}, nil
}

// equal is the time of tasks that are all the same work.
type equal struct{ mean time.Duration }

// Mean is calibrated: the time of a task that has a core to itself.
func (e equal) Mean() time.Duration { return e.mean }

// C2 is 0: every task is the same work.
func (e equal) C2() float64 { return 0 }
