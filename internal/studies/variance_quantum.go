package studies

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// A step of at most q with overhead o equals a step of q+o of a task that is longer by o per step.
// So the task lengths include the overhead, in a time scale in which q+o is the quantum of the
// strategy, 1 ms. This is exact if q divides both sizes, or is longer than the short one and
// divides the long one.
var quantumPart = variancePart{quantumCells, nil, answerQuantum}

var (
	// in short tasks; at the last one a long task is a single step
	quanta    = []float64{0.2, 0.5, 1, 2, 5, 10, 25, 50}
	overheads = []float64{0, 0.02, 0.05, 0.1} // of a step, in short tasks

	fewQuanta    = []float64{0.2, 1, 10, 50}
	fewOverheads = []float64{0, 0.05}
)

const (
	quantumR   = taxAt
	maxSettled = 0.93 // highest load, overhead included, that is steady within a run
	shareShort = quantumR / (quantumR + 1.0)
	meanHalves = 2.0 * quantumR / (1 + quantumR) // mean task time in short tasks
)

func loadWithOverhead(q, o float64) float64 {
	steps := shareShort*math.Ceil(1/q-1e-9) + (1-shareShort)*math.Ceil(quantumR/q-1e-9)
	return varianceLoad * (1 + o*steps/meanHalves)
}

// Below this quantum, the overhead o per step uses up the idle capacity, so there is no steady
// state.
func minQuantum(o float64) float64 { return o / (1/varianceLoad - 1) }

func quantumCell(q, o float64) bench.Scenario {
	scale := float64(unit) / (q + o)
	size := func(work float64) string {
		return dist.FormatDuration(time.Duration(math.Round((work +
			o*math.Ceil(work/q-1e-9)) * scale)))
	}
	return varianceScenario(sequential, fmt.Sprintf("bimodal:p=%v,short=%s,long=%s",
		dist.FormatFloat(1-shareShort), size(1), size(quantumR)),
		poisson(math.Round(loadWithOverhead(q, o)*1e6)/1e6), bench.Stop{Tasks: 40_000, Warmup: 0.1})
}

func quantumCells(size Size) (cells []bench.Scenario) {
	for _, o := range atSize(size, overheads, fewOverheads) {
		for _, q := range atSize(size, quanta, fewQuanta) {
			if loadWithOverhead(q, o) < maxSettled {
				cells = append(cells, quantumCell(q, o))
			}
		}
	}
	return lengths{0.3, 1, 5}.scale(size, cells)
}

func byQuantum(m *evidence.Measured, metric string, size, o float64) (s charts.Series) {
	for _, q := range quanta {
		if loadWithOverhead(q, o) >= maxSettled {
			continue
		}
		evidence.AddPoint(&s, q, m.Mean(quantumCell(q, o), metric).Times((q+o)/unit.Seconds()/size))
	}
	return s
}

func drawQuantum(m *evidence.Measured) evidence.Figure {
	var planes []charts.Plane
	for _, of := range []struct {
		title, metric string
		size          float64
	}{
		{"p99 response of the short tasks ÷ their size", metric.ShortP99Response, 1},
		{"mean response of the long tasks ÷ their size", metric.LongMeanResponse, quantumR},
	} {
		p := evidence.Plane(of.title,
			evidence.Log("quantum, in short tasks", nil, omit(quanta, 25)...),
			evidence.Log("response ÷ own size", charts.Count))
		p.X.Name = "quantum"
		for i, o := range overheads {
			s := byQuantum(m, of.metric, of.size, o)
			if len(s.X) == 0 {
				continue
			}
			s.Name, s.Style = fmt.Sprintf("a step costs %v", o), i
			p.Add(s)
			if at := minQuantum(o); at >= quanta[0] && at <= 1 {
				p.Remarks = append(p.Remarks, charts.Annotation{Sign: charts.Foot, X: at, Y: s.Y[0],
					Text: []string{fmt.Sprintf("cost %v: no steady", o),
						fmt.Sprintf("state below %s", text.Short(at))}})
			}
		}
		planes = append(planes, p)
	}
	if len(planes[0].Series) == 0 {
		return evidence.Figure{}
	}
	below, ours := "", "The cost of a step on this machine was not measured."
	if cost := stepCost(m); !math.IsNaN(cost) {
		free := planes[1].Series[0] // without overhead, or with the smallest that was measured
		at := max(slices.Index(free.X, 1), 0)
		planes[1].Remarks = append(planes[1].Remarks,
			charts.Annotation{Sign: charts.Ring, X: free.X[at], Y: free.Y[at],
				Text: []string{"our own step:", text.ShortSeconds(cost)}})
		below = fmt.Sprintf("; a step of %s costs %s here", sequential, text.ShortSeconds(cost))
		ours = fmt.Sprintf("Ring: a step of %s costs %s on this machine, next to the curve "+
			"without cost for short tasks of 100 µs or more.", sequential,
			text.ShortSeconds(cost))
	}
	return evidence.Figure{
		Name:  "variance-quantum",
		Title: "The cost of partitioning: smaller steps are more steps",
		Subtitle: fmt.Sprintf("Long tasks of %v short ones, each half of the work; %d workers, "+
			"%s busy without the cost of steps", quantumR, limit,
			text.ShortShare(varianceLoad)) + below,
		Caption: []string{
			fmt.Sprintf("A quantum of 1 is a short task in one step; at %v a long task is one "+
				"step, too. Costs are in short tasks.", quantumR),
			"A step that costs o takes o/(o+q) of a worker's time: below the dashed quantum it " +
				"uses up the free capacity, and queues grow without end.",
			ours,
			m.Means(quantumCells(Standard)),
		},
	}.Planes(planes...)
}

func answerQuantum(m *evidence.Measured, f *decide.Finding) {
	for _, o := range fewOverheads {
		s := byQuantum(m, metric.ShortP99Response, 1, o)
		if len(s.X) < 2 || s.X[len(s.X)-1] != quantumR {
			continue
		}
		best := slices.Index(s.Y, slices.Min(s.Y))
		f.Add("if a step costs %v of a short task, steps of %s give the lowest p99 of the short "+
			"tasks: %s times their size, against %s with tasks left whole",
			o, evidence.Counted(s.X[best], "short task"), evidence.Interval{Mid: s.Y[best],
				Lo: s.Lo[best], Hi: s.Hi[best]}, text.Short(s.Y[len(s.Y)-1]))
	}
}

// One worker runs a batch, so no idle worker is woken.
var stepPart = variancePart{stepCells, nil, answerStep}

const (
	stepTask    = 50 * time.Microsecond
	stepQuantum = 100 * time.Nanosecond
	stepsATask  = float64(stepTask / stepQuantum)
)

var stepSizes = []time.Duration{time.Millisecond, 100 * time.Microsecond, 10 * time.Microsecond}

func stepCell(strategy string) bench.Scenario {
	work := fmt.Sprintf("cpu_average:mean=%v", stepTask)
	sc := varianceScenario(strategy, work, loadOf("batch", 0), bench.Stop{Tasks: 500})
	sc.Limit, sc.Clock = 1, bench.Real
	return sc
}

var stepInSteps = fmt.Sprintf("%s:quantum=%v", sequential, stepQuantum)

func stepCells(size Size) []bench.Scenario {
	return lengths{0.6, 1, 5}.scale(size, []bench.Scenario{stepCell(pooled), stepCell(stepInSteps)})
}

// stepCost is in seconds, from the fastest repetitions, because other programs can only lengthen a
// run. It may be NaN.
func stepCost(m *evidence.Measured) float64 {
	fastest := func(strategy string) float64 {
		return slices.Min(append(m.Numbers(stepCell(strategy), func(r evidence.Run) float64 {
			return 1 / r(metric.Throughput)
		}), math.Inf(1)))
	}
	cost := (fastest(stepInSteps) - fastest(pooled)) / stepsATask
	if cost > 0 && !math.IsInf(cost, 0) {
		return cost
	}
	return math.NaN()
}

func stepShares(cost float64) (shares []string) {
	for _, size := range stepSizes {
		shares = append(shares, fmt.Sprintf("%s of %s", text.ShortShare(cost/size.Seconds()),
			text.Duration(size)))
	}
	return shares
}

func answerStep(m *evidence.Measured, f *decide.Finding) {
	cost := stepCost(m)
	if !math.IsNaN(cost) {
		f.Add("a step of %s costs %s on this machine, for short tasks %s; at load %v steps below "+
			"%s leave no steady state", sequential, text.ShortSeconds(cost),
			evidence.Series(stepShares(cost)), varianceLoad, text.ShortSeconds(minQuantum(cost)))
	}
}
