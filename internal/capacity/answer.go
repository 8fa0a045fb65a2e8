package capacity

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/objectives"
)

// An Answer is the result of a search for one scenario: the capacity is between Met and Missed. For
// limits, Met is the smallest that is surely met.
type Answer struct {
	Scenario bench.Scenario
	Met      float64 // highest load, or rate, that is surely met, or NaN
	Missed   float64 // lowest higher one that is surely missed, or NaN
	// loads surely missed below one that is met: the objective is not monotonic in the load
	MissedBelow []float64
	Probes      []Probe // all probes, by load, or by decreasing limit
	Calculated  int     // runs calculated from their plans
	Confirmed   int     // runs of the strategy's own code that confirm the ends of the answer
	// the run that failed and ended the search, or that differed from its calculation
	Err error
}

type Outcome int

const (
	Between Outcome = iota // both Met and Missed exist
	AtLeast                // the highest load of the range is met: the capacity is higher
	Nowhere                // every load tried is missed
	Unknown                // an end is missing, because loads were undecided or a run failed
)

func (o Outcome) String() string {
	return [...]string{"between", "at least", "nowhere", "unknown"}[o]
}

func (a Answer) Outcome() Outcome {
	met, missed := !math.IsNaN(a.Met), !math.IsNaN(a.Missed)
	switch {
	case a.Err != nil, len(a.Probes) == 0:
		return Unknown
	case met && missed:
		return Between
	case met && a.Probes[len(a.Probes)-1].At == a.Met:
		return AtLeast
	case !met && !slices.ContainsFunc(a.Probes, func(p Probe) bool {
		return p.Verdict != objectives.Missed
	}):
		return Nowhere
	}
	return Unknown
}

func (a Answer) Runs() (n int) {
	for _, p := range a.Probes {
		n += p.runs()
	}
	return n
}

func (a Answer) Untold() (n int) {
	for _, p := range a.Probes {
		n += p.Untold
	}
	return n
}

// Result returns the answer in the form of a run, for the results of a run directory:
// Capacity/strategy=…/load=LO..HI/…/objective=….
func (s Search) Result(a Answer) *bench.Result {
	axis := s.Over.String()
	at := func(v float64) string { return fmt.Sprintf("/%s=%v", axis, v) }
	name := strings.TrimPrefix(s.Over.at(a.Scenario, s.Lo).Name(), "Run/")
	name = strings.Replace(name, at(s.Lo), fmt.Sprintf("%s..%v", at(s.Lo), s.Hi), 1)
	if c := s.confidence(); c != defaultConfidence {
		name += fmt.Sprintf("/confidence=%v", c)
	}
	r := &bench.Result{Name: "Capacity/" + name + "/objective=" + s.Objectives.String(),
		Seed: a.Scenario.Seed, Tasks: a.Runs()}
	add := func(unit string, v float64) {
		if !math.IsNaN(v) {
			r.Metrics = append(r.Metrics, result.Metric{Unit: unit, Value: v})
		}
	}
	add(metric.CapacityMet(axis), a.Met)
	add(metric.CapacityMissed(axis), a.Missed)
	add(metric.CapacityProbes, float64(len(a.Probes)))
	for _, loss := range a.Losses() {
		if loss.Unit != metric.GaveUp || loss.Value > 0 { // most callers have no patience
			r.Metrics = append(r.Metrics, loss)
		}
	}
	if a.Outcome() == Unknown {
		r.Undecided = Undecided(a.Scenario.Strategy.String(), s.Objectives, a.Met, a.Missed,
			func(v float64) string { return fmt.Sprintf("%s %v", axis, v) })
	}
	return r
}

// Undecided describes a search without an answer. met and missed may be NaN.
func Undecided(
	name string, of objectives.List, met, missed float64, spell func(float64) string,
) string {
	at := func(v float64) string {
		if math.IsNaN(v) {
			return "no tried value"
		}
		return spell(v)
	}
	return fmt.Sprintf("%s: undecided for %v; met at %s, missed at %s", name, of, at(met), at(missed))
}

func (a Answer) Losses() []result.Metric {
	for _, p := range a.Probes {
		if p.At == a.Met {
			return p.Losses[:]
		}
	}
	return nil
}
