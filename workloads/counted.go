//go:build !js

package workloads

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine"
)

// calibrated holds the calibration of this machine, for the life of the process.
var calibrated = new(machine.Calibration)

// amount is the size of the tasks of CPU work whose time is a line in its units: the parameter
// mean, or a count in its place.
type amount struct {
	count param.Key // an Int or a Size, 0 by default
	start func(seed uint64, units int) counted
}

// counted is CPU work whose task times are set from outside.
type counted interface {
	Workload
	takes(mean time.Duration)
}

func (a *amount) Sized(units int) machine.Doer { return a.start(0, units) }

// keys are the two parameters.
func (a *amount) keys() []param.Key {
	count := a.count
	count.Default = "0"
	return []param.Key{{Name: "mean", Kind: param.Duration, Default: "1ms",
		Doc: "time of a task alone on this machine, which gives the number of " + count.Name}, count}
}

// spec completes the Spec of work in that amount.
func (a *amount) spec(s Spec) Spec {
	s.Kind, s.Keys, s.Check, s.New = CPU, a.keys(), a.check, a.of
	return s
}

// given is the count, 0 where mean stands for it.
func (a *amount) given(v param.Values) int64 {
	if a.count.Kind == param.Size {
		return v.Size(a.count.Name)
	}
	return int64(v.Int(a.count.Name))
}

// check reports errors that need no calibration.
func (a *amount) check(v param.Values) error {
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

// of calibrates, and starts the work.
func (a *amount) of(seed uint64, v param.Values) (Workload, error) {
	l, err := calibrated.Line(a)
	if err != nil {
		return nil, err
	}
	units := int(a.given(v))
	if units == 0 {
		if units, err = unitsIn(v.Duration("mean"), l, a.count.Name); err != nil {
			return nil, fmt.Errorf("mean: %w", err)
		}
	}
	w := a.start(seed, units)
	w.takes(l.Time(units))
	return w, nil
}

// unitsIn returns the units that take that long: none for less than half a unit's time, because on
// a busy machine the line's constant may be negative.
func unitsIn(mean time.Duration, l machine.Line, name string) (int, error) {
	exact := math.Round((float64(mean) - l.Fixed) / l.PerUnit)
	if exact < 1 || 2*float64(mean) < l.PerUnit || exact > math.MaxInt32 {
		return 0, fmt.Errorf("%v would be %.0f %s on this machine, want 1 to %d", mean,
			max(0, float64(mean)/l.PerUnit), name, math.MaxInt32)
	}
	return int(exact), nil
}
