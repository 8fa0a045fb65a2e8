package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// A Matrix is a cross product of scenarios. An empty axis contains only the scenario's default.
type Matrix struct {
	Strategies []strategies.Variant
	Workloads  []workloads.Variant
	Targets    []targets.Variant
	Arrivals   []arrivals.Variant
	Limits     []int
	Loads      []float64
	Rates      []float64 // tasks per second; Loads must be empty
	Queue      int       // applies to the strategies that have a queue
	Deadline   time.Duration
	Timeout    time.Duration
	Patience   dist.Dist
	Drain      time.Duration
	Stop       Stop
	Seed       uint64
	Clock      Clock
	Profile    string
	Flight     time.Duration
}

// Scenarios returns the product. The strategies are the innermost axis, so strategies to be
// compared run one after another. The error joins the distinct complaints.
func (m Matrix) Scenarios() ([]Scenario, error) {
	if err := m.checkSize(); err != nil {
		return nil, err
	}
	scenarios := m.Product()
	var c text.Complaints
	names := map[string]bool{}
	for _, s := range scenarios {
		if wrong, ok := s.Validate().(interface{ Unwrap() []error }); ok {
			for _, err := range wrong.Unwrap() {
				c.AddOnce(err)
			}
		}
		if name := s.Name(); names[name] && len(c) == 0 {
			c.Add("scenario %s is given twice", name)
		} else {
			names[name] = true
		}
	}
	if len(m.Loads) > 0 && len(m.Rates) > 0 {
		c.Note(errLoadAndRate)
	}
	if m.Queue > 0 && !slices.ContainsFunc(m.Strategies,
		func(v strategies.Variant) bool { return v.Spec.UsesQueue }) {
		what := "queue: none of these strategies has a queue"
		if slices.ContainsFunc(m.Strategies,
			func(v strategies.Variant) bool { return len(v.Spec.Around) > 0 }) {
			what += fmt.Sprintf(" that it sets; for the queue of a part, use its parameter, as "+
				"in bounded_queue_shed:queue=%d+worker_pool", m.Queue)
		}
		c.Add("%s", what)
	}
	if len(c) > 0 {
		return nil, errors.Join(c...)
	}
	return scenarios, nil
}

// MaxScenarios is the maximum number of scenarios of a matrix.
const MaxScenarios = 20_000

func (m Matrix) checkSize() error {
	product := 1.0
	var factors []string
	for _, axis := range []struct {
		noun string
		n    int
	}{{"arrival", len(m.Arrivals)}, {"target", len(m.Targets)}, {"workload", len(m.Workloads)},
		{"load", len(m.Loads) + len(m.Rates)}, {"limit", len(m.Limits)},
		{"strategy", len(m.Strategies)}} {
		if axis.n > 1 {
			product *= float64(axis.n)
			factors = append(factors, text.Count(axis.n, axis.noun))
		}
	}
	if product > MaxScenarios {
		return fmt.Errorf("%s are %.0f scenarios; want at most %d", strings.Join(factors, " × "),
			product, MaxScenarios)
	}
	return nil
}

// Product is Scenarios without validation. The caller must call Validate on each scenario.
func (m Matrix) Product() (scenarios []Scenario) {
	for _, arrival := range orZero(m.Arrivals) {
		for _, target := range orZero(m.Targets) {
			for _, workload := range orZero(m.Workloads) {
				for _, load := range m.loads(arrival) {
					for _, limit := range orZero(m.Limits) {
						for _, strategy := range orZero(m.Strategies) {
							s := Scenario{Strategy: strategy, Limit: limit, Workload: workload,
								Target: target, Load: load,
								Stop: m.Stop, Deadline: m.Deadline, Timeout: m.Timeout,
								Patience: m.Patience, Drain: m.Drain, Seed: m.Seed, Clock: m.Clock,
								Profile: m.Profile, Flight: m.Flight}
							if strategy.Spec.UsesQueue {
								s.Queue = m.Queue
							}
							scenarios = append(scenarios, s)
						}
					}
				}
			}
		}
	}
	return scenarios
}

func (m Matrix) loads(arrival arrivals.Variant) (loads []Load) {
	for _, relative := range m.Loads {
		loads = append(loads, Load{Arrival: arrival, Relative: relative})
	}
	for _, rate := range m.Rates {
		loads = append(loads, Load{Arrival: arrival, PerSecond: rate})
	}
	if len(loads) == 0 {
		loads = []Load{{Arrival: arrival}}
	}
	return loads
}

func orZero[T any](axis []T) []T {
	if len(axis) == 0 {
		return make([]T, 1)
	}
	return axis
}
