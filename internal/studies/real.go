package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// The tasks of real_computing compute a counted amount of work, so the cores are the slots. The
// oracle computes the wait of an ideal queue from the run's own arrivals and task times. The excess
// is due to the strategy and the machine. Repetitions without a steady state are left out (see
// realSteady). A case is a strategy that waits, at one of the loads. It meets the claim if its mean
// excess is at most a tenth of the mean service.
var (
	_ = register(realStudy("real_waits",
		"does queueing theory hold on this machine, for tasks that wait?",
		"for tasks that wait, a real pool on a real machine waits as long as an ideal queue does",
		"exponential:mean=10ms", 3500*time.Millisecond, 300*time.Millisecond,
		"Additional wait on this machine, compared with an ideal queue: tasks that wait", 0.5,
		0.8))
	_ = register(realStudy("real_computing",
		"does queueing theory hold on this machine, for tasks that compute?",
		"for tasks that compute, a real pool on a real machine waits as long as an ideal queue "+
			"does", "cpu_sha256:mean=1ms",
		2*time.Second, 180*time.Millisecond, "Additional wait on this machine, compared with an "+
			"ideal queue: tasks that compute", 0.7))
)

func realStudy(
	name, question, claim, work string, budget, quick time.Duration, title string, loads ...float64,
) Study {
	cells := func(size Size, of []string, loads ...float64) []bench.Scenario {
		return lossy(bench.Matrix{
			Strategies: strategy(of...),
			Workloads:  workload(work),
			Limits:     []int{limit},
			Loads:      loads,
			Stop: bench.Stop{Duration: [...]time.Duration{quick, time.Second,
				10 * time.Second}[size], Warmup: 0.1},
			Clock: bench.Real,
		})
	}
	return Study{
		Name:     name,
		Question: question,
		Claim:    claim,
		Count:    [3]int{3, 5, 10},
		Budget:   budget,
		Decides:  []string{metric.MeanWait, metric.OracleMeanWait},
		Cells: func(size Size) []bench.Scenario {
			if size == Quick {
				return cells(size, waiting, loads[len(loads)-1])
			}
			return cells(size, familiar, loads...)
		},
		With: func(size Size, of ...string) []bench.Scenario {
			return cells(size, of, atSize(size, loads, loads[len(loads)-1:])...)
		},
		Advice: evidence.Sentences{
			Holds: "plan with queueing theory: the machine adds almost nothing to the " +
				"ideal wait",
			DoesNotHold: "measure on the machine: it adds to the wait that queueing theory " +
				"predicts",
			Depends: "plan with queueing theory if the machine adds little, and measure if it " +
				"adds more",
		},
		Judge: func(m *evidence.Measured) decide.Finding {
			return judgeReal(m, cells(Quick, waiting, loads...), loads[len(loads)-1])
		},
		Draw: []drawing{func(m *evidence.Measured) evidence.Figure {
			return drawReal(m, name, title, loads, func(of string) []bench.Scenario {
				return cells(Quick, []string{of}, loads...)
			})
		}},
	}
}

const (
	// largest excess over the oracle's mean wait, as a share of the mean service
	realTolerance = 0.1
	// smallest throughput of a run in a steady state, as a share of the accepted tasks per second
	realSteady = 0.8
)

func steadily(
	m *evidence.Measured, sc bench.Scenario, number func(evidence.Run) float64,
) []float64 {
	return m.Numbers(sc, func(r evidence.Run) float64 {
		if r(metric.Throughput) < realSteady*r(metric.Offered)*(1-r(metric.Shed)) {
			return math.NaN()
		}
		return number(r) / r(metric.MeanService)
	})
}

func realWaits(m *evidence.Measured, sc bench.Scenario) []float64 {
	return steadily(m, sc, func(r evidence.Run) float64 {
		return r(metric.MeanWait) - r(metric.OracleMeanWait)
	})
}

func judgeReal(m *evidence.Measured, cells []bench.Scenario, highest float64) decide.Finding {
	r := evidence.Ruling{Of: "strategy and load", More: []string{"mean wait", "ideal queue's"},
		Number: "excess, in mean services"}
	ran, steady, others := 0, 0, 0.0
	cells = slices.DeleteFunc(cells, func(sc bench.Scenario) bool {
		return sc.Load.Relative != highest && !m.Has(sc)
	})
	for _, sc := range cells {
		waits := realWaits(m, sc)
		ran, steady = ran+len(m.Runs(sc)), steady+len(waits)
		for _, share := range m.Values(sc, metric.CPUOthers) {
			others = max(others, share)
		}
		if len(waits) > 0 {
			r.AtMost(fmt.Sprintf("%s at load %v", sc.Strategy, sc.Load.Relative),
				evidence.OfMean(waits), realTolerance,
				m.MeanText(sc, metric.MeanWait, text.ShortSeconds),
				m.MeanText(sc, metric.OracleMeanWait, text.ShortSeconds))
		}
	}
	services := fmt.Sprintf("%s mean services", text.Short(realTolerance))
	f := r.Find(evidence.Sentences{
		Holds:       "the mean wait exceeds an ideal queue's by at most " + services,
		DoesNotHold: "the mean wait exceeds an ideal queue's by more than " + services,
		Depends:     "on strategy and load",
	}, "whether the mean wait exceeds an ideal queue's by more than "+services)
	if len(r.Cases) < len(cells) {
		f = evidence.Missing("%d of %d scenarios were not run or fell behind in every "+
			"repetition; %d of %d repetitions had a steady state", len(cells)-len(r.Cases),
			len(cells), steady, ran)
		f.Table = r.Table()
	}
	if others >= 0.1 {
		f.Add("other programs used up to %s of the processors' time: repeat the study on an idle "+
			"machine", text.ShortShare(others))
	}
	return f
}

func drawReal(
	m *evidence.Measured, name, title string, loads []float64,
	cells func(strategy string) []bench.Scenario,
) evidence.Figure {
	known := append(slices.Clone(familiar), m.Others(familiar, func(name string) bench.Scenario {
		return cells(name)[len(loads)-1]
	})...)
	var rows []string
	var drawn [][]bench.Scenario
	for _, name := range known {
		if of := cells(name); slices.ContainsFunc(of,
			func(sc bench.Scenario) bool { return len(realWaits(m, sc)) > 0 }) {
			rows, drawn = append(rows, name), append(drawn, of)
		}
	}
	if !slices.ContainsFunc(rows,
		func(name string) bool { return slices.Contains(waiting, name) }) {
		return evidence.Figure{} // none of the scenarios was run
	}
	panels := []charts.RowPanel{{Title: "mean wait above an ideal queue's",
		Levels: []charts.Level{{Name: "a tenth of a service", Y: realTolerance}},
	}, {Title: "the mean wait itself", X: charts.Axis{Label: "in mean services",
		Format: charts.Count, Reach: []float64{0}}}}
	var shown []string
	least, most := math.Inf(1), math.Inf(-1)
	for i, load := range loads {
		any := false
		evidence.AddRows(panels, fmt.Sprintf("load %v", load), i, len(drawn),
			func(row int) []evidence.Interval {
				in := evidence.OfMedian(realWaits(m, drawn[row][i]))
				if !math.IsNaN(in.Mid) {
					least, most, any = min(least, in.Lo), max(most, in.Hi), true
				}
				return []evidence.Interval{in, evidence.OfMedian(steadily(m, drawn[row][i],
					func(r evidence.Run) float64 { return r(metric.MeanWait) }))}
			})
		if any {
			shown = append(shown, fmt.Sprint(load))
		}
	}
	panels[0].X = charts.Axis{Label: "in mean services", Format: charts.Count, Reach: []float64{0}}
	if least >= 0 && most > 30*realTolerance { // the values span decades
		panels[0].X = charts.Axis{Label: "in mean services (log scale)", Log: true,
			Zero: least == 0, Format: charts.Count}
	}
	return evidence.Figure{
		Name:  name,
		Title: title,
		Subtitle: fmt.Sprintf("Real clock, limit %d, load %s; the ideal queue has each run's "+
			"own arrivals and task times", limit, strings.Join(shown, " and ")),
		Caption: []string{
			"The additional wait is due to the strategy, the scheduler, the timers and other " +
				"programs.",
			fmt.Sprintf("Repetitions that completed less than %s of the arrivals have no steady "+
				"state and are omitted.", text.ShortShare(realSteady)),
			m.Medians(slices.Concat(drawn...)),
		},
	}.Rows(rows, panels...)
}
