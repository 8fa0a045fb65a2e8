package capacity

import (
	"errors"
	"fmt"
	"math"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies"
)

type Axis int

// An objective is harder to meet at a higher load, a higher rate or a longer queue, and at a
// smaller limit.
const (
	Load  Axis = iota // highest load, relative to the capacity limit/E[S]
	Rate              // highest rate, in tasks per second
	Limit             // smallest limit
	Queue             // longest queue, which sheds least
)

func (a Axis) String() string { return [...]string{"load", "rate", "limit", "queue"}[a] }

func (a Axis) whole() bool { return a >= Limit }

// hardness is larger if the objective is harder to meet. value is its inverse.
func (a Axis) hardness(value float64) float64 {
	if a == Limit {
		return -value
	}
	return value
}

func (a Axis) value(hardness float64) float64 { return a.hardness(hardness) }

func (a Axis) at(sc bench.Scenario, value float64) bench.Scenario {
	switch a {
	case Load:
		sc.Load.Relative, sc.Load.PerSecond = value, 0
	case Rate:
		sc.Load.Relative, sc.Load.PerSecond = 0, value
	case Limit:
		sc.Limit = int(value)
	case Queue:
		if sc.Queue = int(value); sc.Queue == 0 {
			sc.Queue = bench.NoQueue
		}
	}
	return sc
}

func (a Axis) Valid(lo, hi float64) bool {
	isWhole := lo == math.Trunc(lo) && hi == math.Trunc(hi)
	switch a {
	case Limit:
		return isWhole && lo >= 1 && lo < hi && hi <= strategies.MaxLimit
	case Queue:
		return isWhole && lo >= 0 && lo < hi && hi <= strategies.MaxSlots
	}
	return lo > 0 && lo < hi && hi <= 1e9
}

func (a Axis) Numbers() string {
	return [...]string{"numbers above 0 such as 0.1,1.2", "numbers above 0 such as 50,200",
		"whole numbers above 0 such as 1,64", "whole numbers from 0 on such as 0,100"}[a]
}

func (a Axis) check(sc bench.Scenario) error {
	switch err := a.suits(sc.Strategy.Spec); {
	case err != nil:
		return err
	case a == Limit && sc.Load.PerSecond == 0 && !sc.Load.Arrival.Spec.AllAtOnce &&
		(sc.Load.Arrival.Spec.Name == "" || sc.Load.Arrival.TakesRate()):
		return errors.New("a load is relative to the capacity at the limit, and the search is " +
			"for the limit: give a rate")
	}
	return nil
}

func (a Axis) suits(spec strategies.Spec) error {
	switch {
	case a == Limit && spec.Bound == nil:
		return fmt.Errorf("strategy %s: it has no limit to search", spec.Name)
	case a == Queue && !spec.Sheds:
		return fmt.Errorf("strategy %s: it sheds no tasks, so the length of its queue does not "+
			"affect the objective", spec.Name)
	case a == Queue && !spec.UsesQueue:
		return fmt.Errorf("strategy %s: its queue has no length to search", spec.Name)
	}
	return nil
}

// Range returns the default range. work is the offered work, rate × E[S]. At eight times as many
// slots hardly any task waits.
func (a Axis) Range(work float64) (lo, hi float64) {
	switch a {
	case Limit:
		return 1, math.Min(math.Max(64, 8*math.Ceil(work)), strategies.MaxLimit)
	case Queue:
		return 0, 1024
	}
	return 0.1, 1.2
}

const grid = 6

func (a Axis) first(lo, hi, resolution float64) []float64 {
	values := []float64{lo}
	for i := 1; i < grid-1; i++ {
		share := float64(i) / (grid - 1)
		at := round(lo+(hi-lo)*share, resolution)
		if a.whole() {
			at = math.Round((lo+1)*math.Pow((hi+1)/(lo+1), share)) - 1
		}
		if at > values[len(values)-1] && at < hi {
			values = append(values, at)
		}
	}
	return append(values, hi)
}
