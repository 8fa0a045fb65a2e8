package studies

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies"
)

// realWaits does under the real clock what load does under the virtual one: what is left over is overhead and the timers of
// the machine. realComputing has tasks that compute a counted amount, so that the cores are the places.
//
// The oracle takes a run's own arrivals and task times and says what an ideal queue would have made of them. What a strategy's mean wait
// is longer by is what it and the machine add. The claim of both holds where that is at most a tenth of the mean service for every
// strategy that waits, at every load; it does not hold where it is more for all of them.
var (
	_ = register(realStudy("real_waits", "how much of the theory is left on this machine, for tasks that wait?",
		"for tasks that wait, a real pool on a real machine waits as long as an ideal queue does", "exponential:mean=10ms", 0.5, 0.8))
	_ = register(realStudy("real_computing", "and for tasks that compute?",
		"for tasks that compute, a real pool on a real machine waits as long as an ideal queue does", "cpu_sha256:mean=1ms", 0.7))
)

func realStudy(name, question, claim, work string, loads ...float64) Study {
	cells := func(size Size, of []strategies.Variant) []bench.Scenario {
		return cross(bench.Matrix{
			Strategies: of,
			Workloads:  workload(work),
			Limits:     []int{limit},
			Loads:      loads,
			Stop:       bench.Stop{Duration: [...]time.Duration{600 * time.Millisecond, 1500 * time.Millisecond, 10 * time.Second}[size], Warmup: 0.1},
			Seed:       1,
			Clock:      bench.Real,
		})
	}
	return Study{
		Name:     name,
		Question: question,
		Claim:    claim,
		Count:    [3]int{1, 3, 10},
		Cells: func(size Size) []bench.Scenario {
			if size == Quick {
				return cells(size, strategy(waiting...))
			}
			return cells(size, familiar())
		},
		With: func(size Size, v strategies.Variant) ([]bench.Scenario, error) {
			return cells(size, []strategies.Variant{v}), nil
		},
		Judge: func(m *measured) Finding { return judgeReal(m, cells(Quick, strategy(waiting...))) },
	}
}

// realTolerance is the share of the mean service by which a wait may be longer than the oracle's.
const realTolerance = 0.1

func judgeReal(m *measured, cells []bench.Scenario) Finding {
	var within, beyond []string
	for _, sc := range cells {
		over := ofMean(m.each([]bench.Scenario{sc}, func(value func(int, string) float64) float64 {
			return (value(0, "mean-wait-sec") - value(0, "oracle-mean-wait-sec")) / value(0, "mean-service-sec")
		}))
		if math.IsNaN(over.mid) {
			continue
		}
		said := fmt.Sprintf("%s at load %v: %s", sc.Strategy, sc.Load.Relative, short(over.mid))
		if over.mid <= realTolerance {
			within = append(within, said)
		} else {
			beyond = append(beyond, said)
		}
	}
	if len(within)+len(beyond) < len(cells) {
		return undecided("%d of %d scenarios have runs that can be believed", len(within)+len(beyond), len(cells))
	}
	what := "waits are longer than the oracle's by so many mean services: "
	switch {
	case len(beyond) == 0:
		return found(Holds, "%s%s", what, strings.Join(within, ", "))
	case len(within) == 0:
		return found(DoesNotHold, "%s%s", what, strings.Join(beyond, ", "))
	}
	f := found(Depends, "on strategy and load; %s%s", what, strings.Join(beyond, ", "))
	f.add("up to %v: %s", realTolerance, strings.Join(within, ", "))
	return f
}
