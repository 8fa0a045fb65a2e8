package studies

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/strategies"
)

// realWaits does under the real clock what load does under the virtual one: what is left over is overhead and the timers of
// the machine. realComputing has tasks that compute a counted amount, so that the cores are the places.
//
// The oracle takes a run's own arrivals and task times and says what an ideal queue would have made of them. What a strategy's mean wait
// is longer by is what it and the machine add. A repetition in which fewer than eight in ten of the tasks accepted in a second were done has no
// steady state, as what is added adds up for as long as it lasts, and is left out.
//
// The claim of both is judged on each strategy that waits, at the highest load and at each other that was run: it is kept where the median of
// the repetitions is at most a tenth of the mean service, and broken where each repetition is above; what is neither is open. The claim holds where
// it is always kept, does not hold where it is always broken, and depends on strategy and load where there is both. Else nothing is decided.
var (
	_ = register(realStudy("real_waits", "how much of the theory is left on this machine, for tasks that wait?",
		"for tasks that wait, a real pool on a real machine waits as long as an ideal queue does", "exponential:mean=10ms",
		"On this machine, tasks that wait: how much longer they wait for a place than in an ideal queue", 0.5, 0.8))
	_ = register(realStudy("real_computing", "and for tasks that compute?",
		"for tasks that compute, a real pool on a real machine waits as long as an ideal queue does", "cpu_sha256:mean=1ms",
		"On this machine, tasks that compute: how much longer they wait for a place than in an ideal queue", 0.7))
)

func realStudy(name, question, claim, work, title string, loads ...float64) Study {
	cells := func(size Size, of []strategies.Variant, loads ...float64) []bench.Scenario {
		return cross(bench.Matrix{
			Strategies: of,
			Workloads:  workload(work),
			Limits:     []int{limit},
			Loads:      loads,
			Stop:       bench.Stop{Duration: [...]time.Duration{300 * time.Millisecond, time.Second, 10 * time.Second}[size], Warmup: 0.1},
			Seed:       1,
			Clock:      bench.Real,
		})
	}
	return Study{
		Name:     name,
		Question: question,
		Claim:    claim,
		Count:    [3]int{3, 5, 10},
		Cells: func(size Size) []bench.Scenario {
			if size == Quick {
				return cells(size, strategy(waiting...), loads[len(loads)-1])
			}
			return cells(size, familiar(), loads...)
		},
		With: func(size Size, v strategies.Variant) ([]bench.Scenario, error) {
			return cells(size, []strategies.Variant{v}, atSize(size, loads, loads[len(loads)-1:])...), nil
		},
		Judge: func(m *measured) Finding {
			return judgeReal(m, cells(Quick, strategy(waiting...), loads...), loads[len(loads)-1])
		},
		Draw: func(m *measured) ([]reports.Figure, error) {
			return drawReal(m, name, title, loads, func(of string) []bench.Scenario { return cells(Quick, strategy(of), loads...) })
		},
	}
}

const (
	realTolerance = 0.1 // the share of the mean service by which a wait may be longer than the oracle's
	realSteady    = 0.8 // the share of what is accepted that is done, in a run that has a steady state
)

// steadily computes a number, in mean services, from each repetition that has a steady state.
func steadily(m *measured, sc bench.Scenario, number func(value func(unit string) float64) float64) []float64 {
	return m.each([]bench.Scenario{sc}, func(value func(int, string) float64) float64 {
		came := value(0, "offered-ops/s")
		if value(0, "ops/s") < realSteady*came*(1-value(0, "shed/op")) {
			return math.NaN()
		}
		return number(func(unit string) float64 { return value(0, unit) }) / value(0, "mean-service-sec")
	})
}

// realWaits are by how many mean services the mean wait is longer than the oracle's.
func realWaits(m *measured, sc bench.Scenario) []float64 {
	return steadily(m, sc, func(value func(string) float64) float64 {
		return value("mean-wait-sec") - value("oracle-mean-wait-sec")
	})
}

func judgeReal(m *measured, cells []bench.Scenario, highest float64) Finding {
	var kept, broken, open []string
	least, most := math.Inf(1), math.Inf(-1)
	ran, steady := 0, 0
	by := map[float64][]string{} // by load
	cells = slices.DeleteFunc(cells, func(sc bench.Scenario) bool { return sc.Load.Relative != highest && !m.has(sc) })
	for _, sc := range cells {
		waits := realWaits(m, sc)
		ran, steady = ran+len(m.runs(sc)), steady+len(waits)
		if len(waits) == 0 {
			continue
		}
		mid := ofMedian(waits).mid
		least, most = min(least, mid), max(most, mid)
		where := fmt.Sprintf("%s at load %v", sc.Strategy, sc.Load.Relative)
		switch {
		case mid <= realTolerance:
			kept = append(kept, where)
		case slices.Min(waits) > realTolerance:
			broken = append(broken, where)
		default:
			open = append(open, where)
		}
		by[sc.Load.Relative] = append(by[sc.Load.Relative], fmt.Sprintf("%s %s", sc.Strategy, short(mid)))
	}
	f := undecided("%s: in some repetitions the wait is more than %v mean services longer than the oracle's, in others not", strings.Join(open, ", "), realTolerance)
	switch known := len(kept) + len(broken) + len(open); {
	case known < len(cells):
		f = undecided("%d of %d scenarios were not run, or fell behind in every repetition (%d of %d repetitions had a steady state)", len(cells)-known, len(cells), steady, ran)
	case len(kept) == known:
		f = found(Holds, "the mean wait is at most %s mean services longer than the oracle's, in each of %s", short(most), strings.Join(waiting, ", "))
	case len(broken) == known:
		f = found(DoesNotHold, "the mean wait is %s to %s mean services longer than the oracle's, in each of %s", short(least), short(most), strings.Join(waiting, ", "))
	case len(kept) > 0 && len(broken) > 0:
		f = found(Depends, "on strategy and load: the mean wait is more than %v mean services longer than the oracle's with %s; not with %s", realTolerance, strings.Join(broken, ", "), strings.Join(kept, ", "))
	}
	for _, load := range slices.Sorted(maps.Keys(by)) {
		f.add("at load %v waits are longer than the oracle's by so many mean services: %s", load, strings.Join(by[load], ", "))
	}
	return realMachine(m, cells, f)
}

// realMachine adds what the machine had to do with it.
func realMachine(m *measured, cells []bench.Scenario, f Finding) Finding {
	others := 0.0
	for _, sc := range cells {
		for _, share := range m.values(sc, "cpu-others") {
			others = max(others, share)
		}
	}
	if others >= 0.1 {
		f.add("meanwhile other programs took up to %s of the processors' time, which the pool did not have", percent(others))
	}
	return f
}

func drawReal(m *measured, name, title string, loads []float64, cells func(strategy string) []bench.Scenario) ([]reports.Figure, error) {
	known := names(familiar())
	known = append(known, m.others(known, func(name string) bench.Scenario {
		of := cells(name)
		return of[len(of)-1]
	})...)
	var rows []string
	var drawn [][]bench.Scenario // by row, in the order of the loads
	for _, name := range known {
		if of := cells(name); slices.ContainsFunc(of, func(sc bench.Scenario) bool { return len(realWaits(m, sc)) > 0 }) {
			rows, drawn = append(rows, name), append(drawn, of)
		}
	}
	if !slices.ContainsFunc(rows, func(name string) bool { return slices.Contains(waiting, name) }) {
		return nil, &charts.EmptyError{Chart: name} // those that it is about
	}
	var over, waits []charts.RowSeries
	var shown []string
	least, most := math.Inf(1), math.Inf(-1)
	for i, load := range loads {
		a := charts.RowSeries{Name: fmt.Sprintf("load %v", load), Style: i}
		b := a
		for _, of := range drawn {
			in := ofMedian(realWaits(m, of[i]))
			if !math.IsNaN(in.mid) {
				least, most = min(least, in.lo), max(most, in.hi)
			}
			a.Values = append(a.Values, in.row())
			b.Values = append(b.Values, ofMedian(steadily(m, of[i], func(value func(string) float64) float64 { return value("mean-wait-sec") })).row())
		}
		if slices.ContainsFunc(a.Values, func(v charts.RowValue) bool { return !math.IsNaN(v.Mid) }) {
			shown = append(shown, fmt.Sprint(load))
		}
		over, waits = append(over, a), append(waits, b)
	}
	x := charts.Axis{Label: "in mean services", Format: short, Reach: []float64{0}}
	if least >= 0 && most > 30*realTolerance { // it spans decades
		x = charts.Axis{Label: "in mean services (log scale)", Log: true, Zero: least == 0, Format: short}
	}
	c, err := charts.Rows(title, rows, []charts.RowPanel{
		{Title: "longer than the oracle's by", X: x, Series: over, Levels: []charts.Level{{Name: "a tenth of a service", Y: realTolerance}}},
		{Title: "the mean wait itself", X: charts.Axis{Label: "in mean services", Format: short, Reach: []float64{0}}, Series: waits},
	})
	if err != nil {
		return nil, err
	}
	c.Subtitle = fmt.Sprintf("Real clock, limit %d, load %s; the oracle is an ideal queue with each run's own arrivals and task times", limit, strings.Join(shown, " and "))
	return []reports.Figure{{Name: name, Chart: c, Caption: strings.Join([]string{
		"What is longer than the oracle's is the strategy's, the scheduler's, the timers', and that of other programs on the machine.",
		fmt.Sprintf("Left out are repetitions in which less than %s of what was accepted in a second was done: they have no steady state.", percent(realSteady)),
		m.medians(slices.Concat(drawn...)),
	}, " ")}}, nil
}
