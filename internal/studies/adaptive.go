package studies

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
)

// A case is a strategy that learns a limit of up to 200. It meets the claim if, at each service, it
// has at least 95 % of the throughput and at most twice the p99 of the best fixed limit. That limit
// has the most throughput, or the shortest p99 of several within 1 % of that.
var _ = register(Study{
	Name:     "adaptive",
	Question: "how close are adaptive limits to the best fixed limit?",
	Claim:    "an adaptive limit finds the right limit by itself",
	Count:    [3]int{3, 5, 15},
	Budget:   12 * time.Second,
	Apart:    true,
	Compared: adaptives,
	Cells: func(Size) (cells []bench.Scenario) {
		for _, s := range adaptiveSettings {
			for _, name := range adaptives {
				cells = append(cells, s.cell(name))
			}
			for _, n := range fixedLimits {
				cells = append(cells, s.fixed(n))
			}
		}
		return cells
	},
	With: each(func(_ Size, name string) (cells []bench.Scenario) {
		for _, s := range adaptiveSettings {
			cells = append(cells, s.cell(name))
		}
		return cells
	}),
	Decides: []string{metric.Throughput, metric.P99Response},
	Advice: evidence.Sentences{
		Holds: "use an adaptive limit if the right limit is unknown",
		DoesNotHold: "find the limit by a load test and set it; use an adaptive limit only with " +
			"a maximum near it",
		Depends: "test an adaptive limit against a service that slows down, or set a fixed limit",
	},
	Judge: judgeAdaptive,
	Draw:  []drawing{drawAdaptive},
})

// The limits start at the maximum, the default of the libraries, or near the best one.
var adaptives = []string{"adaptive_aimd", "adaptive_gradient", "adaptive_vegas", "adaptive_envoy",
	"failsafe_adaptive", "concurrency_limits", "concurrency_limits:algorithm=gradient2",
	"adaptive_gradient:initial=10", "adaptive_vegas:initial=10"}

const (
	adaptiveTasks  = 12_000
	adaptiveRate   = 800
	adaptiveMost   = 200 // the highest limit of all strategies
	adaptiveMean   = 10 * time.Millisecond
	adaptiveKept   = 0.95 // share of the best throughput
	adaptiveSlower = 2    // times the best p99
	adaptiveTie    = 0.99 // share of the best throughput, among fixed limits
)

// Eight slots are busy on average.
var fixedLimits = []int{10, 12, 14, 20, 50, adaptiveMost}

type adaptiveSetting struct{ name, where, work, target string }

var adaptiveSettings = []adaptiveSetting{
	{"brownout", "in a brownout", "constant:mean=10ms", "brownout"},
	{"halved capacity", "when the capacity halves", "constant:mean=10ms",
		"brownout:knee=20,later=10,after=7500ms"},
	{"noisy brownout", "in a brownout with noisy service times", "lognormal:mean=10ms,c2=4",
		"brownout"},
	{"freezes", "with freezes", "constant:mean=10ms", "freeze"},
	{"noise", "with noisy service times alone", "lognormal:mean=10ms,c2=4", "none"},
}

func (s adaptiveSetting) cell(name string) bench.Scenario { return s.at(name, adaptiveMost) }

func (s adaptiveSetting) fixed(limit int) bench.Scenario { return s.at(pooled, limit) }

func (s adaptiveSetting) at(name string, limit int) bench.Scenario {
	sc := scenario(name, s.work,
		bench.Load{Arrival: arrival("poisson")[0], PerSecond: adaptiveRate},
		bench.Stop{Tasks: adaptiveTasks, Warmup: 0.25})
	sc.Limit, sc.Target = limit, target(s.target)[0]
	return sc
}

func (s adaptiveSetting) best(m *evidence.Measured) (limit int, ok bool) {
	most, shortest := 0.0, math.Inf(1)
	for _, n := range fixedLimits {
		most = evidence.Larger(most, m.Mean(s.fixed(n), metric.Throughput).Mid)
	}
	for _, n := range fixedLimits {
		rate, p99 := m.Mean(s.fixed(n), metric.Throughput).Mid, m.Mean(s.fixed(n), p99Response).Mid
		if rate >= adaptiveTie*most && p99 < shortest {
			limit, shortest = n, p99
		}
	}
	return limit, limit > 0
}

type regret struct {
	kept, slower evidence.Interval // relative to its throughput and p99
}

func (s adaptiveSetting) regret(m *evidence.Measured, name string) regret {
	limit, _ := s.best(m)
	return regret{evidence.OfMean(m.Ratios(s.cell(name), s.fixed(limit), metric.Throughput)),
		evidence.OfMean(m.Ratios(s.cell(name), s.fixed(limit), p99Response))}
}

// Both results are false if the intervals do not decide.
func (r regret) meets() (yes, no bool) {
	return r.kept.Lo >= adaptiveKept && r.slower.Hi <= adaptiveSlower,
		r.kept.Hi < adaptiveKept || r.slower.Lo > adaptiveSlower
}

func (r regret) String() string {
	if r.kept.Mid < adaptiveKept {
		return evidence.Short(r.kept, text.ShortShare)
	}
	return "×" + evidence.Short(r.slower, text.Short)
}

func judgeAdaptive(m *evidence.Measured) decide.Finding {
	r := evidence.Ruling{Of: "throughput, or × p99"}
	best := make([]string, len(adaptiveSettings))
	for i, s := range adaptiveSettings {
		limit, ok := s.best(m)
		if !ok {
			return evidence.Missing("no fixed limit was measured %s", s.where)
		}
		r.More = append(r.More, s.name)
		best[i] = fmt.Sprint(limit)
	}
	others := m.Others(append(slices.Clone(adaptives), pooled), adaptiveSettings[0].cell)
	for _, name := range slices.Concat(adaptives, others) {
		all, none, known := true, false, evidence.Interval{}
		var cells []string
		for _, s := range adaptiveSettings {
			of := s.regret(m, name)
			yes, no := of.meets()
			all, none = all && yes, none || no
			known.Mid += of.kept.Mid + of.slower.Mid
			cells = append(cells, of.String())
		}
		if slices.Contains(others, name) {
			r.Show(name, known, cells...)
		} else {
			r.Certain(name, known, all, none, cells...)
		}
	}
	r.Show("best fixed limit", evidence.Interval{}, best...)
	return r.Find(evidence.Sentences{
		Holds:       "each adaptive limit is near the best fixed one",
		DoesNotHold: "no adaptive limit is near the best fixed one in each setting",
		Depends:     "on the strategy",
	}, "whether an adaptive limit is near the best fixed one in each setting")
}

func drawAdaptive(m *evidence.Measured) evidence.Figure {
	return evidence.Figure{
		Name:  "adaptive",
		Title: "Adaptive limits, compared with the best fixed limit",
		Subtitle: fmt.Sprintf("Throughput relative to the best fixed limit or, if none is lost, "+
			"p99 relative to its p99, at %d tasks a second of %s, up to a limit of %d", adaptiveRate,
			text.Duration(adaptiveMean), adaptiveMost),
		Caption: []string{
			"A brownout slows calls down if there are more than 10 at once. A freeze stops all " +
				"calls for half a second every 2 s.",
			fmt.Sprintf("Means of %s repetitions.",
				m.Repetitions([]bench.Scenario{adaptiveSettings[0].cell(adaptives[0])})),
		},
	}.Finding(judgeAdaptive(m))
}
