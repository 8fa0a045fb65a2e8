//go:build !js

package workloads

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine"
)

var calibrated = new(machine.Calibration)

// amount describes CPU work whose time is linear in a count.
type amount struct {
	count param.Key // an Int or a Size
	start func(seed uint64, units int) counted
}

type counted interface {
	Workload
	setMean(mean time.Duration)
}

func (a *amount) Sized(units int) machine.Doer { return a.start(0, units) }

func (a *amount) keys() []param.Key {
	count := a.count
	count.Default = "0"
	return []param.Key{{Name: "mean", Kind: param.Duration, Default: "1ms",
		Doc: "time of a task that runs alone on this machine, which determines the number of " + count.Name}, count}
}

func (a *amount) spec(s Spec) Spec {
	s.Kind, s.Keys, s.Check, s.New = CPU, a.keys(), a.check, a.build
	return s
}

func (a *amount) value(v param.Values) int64 {
	if a.count.Kind == param.Size {
		return v.Size(a.count.Name)
	}
	return int64(v.Int(a.count.Name))
}

func (a *amount) check(v param.Values) error {
	name, n := a.count.Name, a.value(v)
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

func (a *amount) build(seed uint64, v param.Values) (Workload, error) {
	l, err := calibrated.Line(a)
	if err != nil {
		return nil, err
	}
	units := int(a.value(v))
	if units == 0 {
		if units, err = unitsIn(v.Duration("mean"), l, a.count.Name); err != nil {
			return nil, fmt.Errorf("mean: %w", err)
		}
	}
	w := a.start(seed, units)
	w.setMean(l.Time(units))
	return w, nil
}

// l.Fixed may be negative on a busy machine, so unitsIn also requires half a unit's time.
func unitsIn(mean time.Duration, l machine.Line, name string) (int, error) {
	exact := math.Round((float64(mean) - l.Fixed) / l.PerUnit)
	if exact < 1 || 2*float64(mean) < l.PerUnit || exact > math.MaxInt32 {
		return 0, fmt.Errorf("%v would be %.0f %s on this machine, want 1 to %d", mean,
			max(0, float64(mean)/l.PerUnit), name, math.MaxInt32)
	}
	return int(exact), nil
}
