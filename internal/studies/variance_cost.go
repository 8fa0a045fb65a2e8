package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// Short and long tasks are each half of the work, so R, the ratio of their lengths, varies only the
// variance. Exact results are M/D/4 at R = 1 for all strategies with shared slots; M/D/2 per class
// with separate pools; and the mean slowdown of processor sharing, the limit of small steps, which
// equals M/M/4 for any task times.
var costPart = variancePart{costCells, costWith, answerCost}

var (
	costRs    = []float64{1, 2, 3, 5, 10, 20, 50, 100, 200}
	costFewRs = []float64{1, 2, 3, 5, 10, 50, 200}
)

// The first strategy is the reference.
var costStrategies = []string{"worker_pool", "partitioned", "partitioned_all_at_once", "segregated",
	"shortest_first:long=1ms"}

// the default of the workload
const taxAt = 50

func costCell(strategy string, r float64) bench.Scenario {
	return varianceScenario(strategy, twoClassWork(r), poisson(varianceLoad),
		tasksFor(15_000, halvesC2(r), 200_000))
}

func costCells(size Size) []bench.Scenario { return costWith(size, costStrategies...) }

func costWith(size Size, of ...string) []bench.Scenario {
	return perStrategy(of, atSize(size, costRs, costFewRs), size, costCell)
}

func perStrategy(
	of []string, xs []float64, size Size, cell func(strategy string, x float64) bench.Scenario,
) (cells []bench.Scenario) {
	for _, s := range of {
		for _, x := range xs {
			cells = append(cells, cell(s, x))
		}
	}
	return costLengths.scale(size, cells)
}

var costLengths = lengths{0.15, 0.9, 5}

func costOthers(m *evidence.Measured) []string {
	return m.Others(costStrategies, func(strategy string) bench.Scenario {
		return costCell(strategy, taxAt)
	})
}

type reading struct {
	title, label string
	noun, short  string // used in sentences and in tables
	unit         string
	scale        float64 // factor to the unit of the figure
}

var (
	shortTail = reading{"p99 response of the short tasks ÷ their size",
		"p99 response ÷ own size", "p99 of the short tasks", "short p99", metric.ShortP99Response,
		1 / unit.Seconds()}
	slowdown = reading{"mean slowdown of all tasks: response ÷ own size",
		"mean slowdown", "mean slowdown", "slowdown", metric.MeanSlowdown, 1}
)

func costCurve(m *evidence.Measured, strategy string, of reading) (s charts.Series) {
	s = m.Named(costCell(strategy, 1))
	for _, r := range costRs {
		evidence.AddPoint(&s, r, m.Mean(costCell(strategy, r), of.unit).Times(of.scale))
	}
	return s
}

func equalTasks(k int, of reading) float64 {
	a := theory.Must(theory.MDk(theory.Pool{Rate: varianceLoad * float64(k), MeanService: 1,
		Limit: k}))
	if of == slowdown {
		return a.MeanResponse
	}
	return a.P99()
}

func processorSharing() float64 {
	return theory.Must(theory.MMk(theory.Pool{Rate: varianceLoad * limit, MeanService: 1,
		Limit: limit})).MeanResponse
}

func drawCost(m *evidence.Measured) evidence.Figure {
	var planes []charts.Plane
	for _, of := range []reading{shortTail, slowdown} {
		p := evidence.Plane(of.title,
			evidence.Log("R: a long task, in short ones", nil, omit(costRs, 3)...),
			evidence.Log(of.label, charts.Count, 1, 2, 5, 10, 20, 50, 100, 200, 500))
		p.X.Name, p.TopLabel = "R", "squared coefficient of variation C²"
		for _, r := range omit(costRs, 3) {
			p.Top = append(p.Top, charts.Mark{At: r, Text: fmt.Sprintf("%.3g", halvesC2(r))})
		}
		for _, name := range slices.Concat(costStrategies, costOthers(m)) {
			if s := costCurve(m, name, of); len(s.X) > 0 {
				p.Add(s)
			}
		}
		if len(p.Series) == 0 {
			return evidence.Figure{}
		}
		exact := equalTasks(limit/2, of)
		p.Add(evidence.Exact(m.Named(costCell(separate, 1)),
			[]float64{1, costRs[len(costRs)-1]}, func(float64) float64 { return exact }))
		start := equalTasks(limit, of)
		p.Remarks = append(p.Remarks, charts.Annotation{Sign: charts.Ring, X: 1, Y: start,
			Text: []string{fmt.Sprintf("exact M/D/%d: %s", limit, text.Short(start))}})
		if of == slowdown {
			p.Levels = []charts.Level{{Name: "processor sharing, exact", Y: processorSharing()}}
		}
		if tax, from, to := taxOf(m, of); !math.IsNaN(tax.Mid) {
			p.Remarks = append(p.Remarks, charts.Annotation{Sign: charts.Gap, X: taxAt, Y: from, To: to,
				Text: []string{"variance tax", "×" + text.Short(tax.Mid)}})
		}
		if at := crossover(m, separate, of); !math.IsNaN(at.Mid) {
			p.Remarks = append(p.Remarks, charts.Annotation{Sign: charts.Foot, X: at.Mid, Y: exact,
				Text: []string{"separate pools", "pay from R = " + text.Short(at.Mid)}})
		}
		planes = append(planes, p)
	}
	title := "The cost of task-time variance"
	if tax, _, _ := taxOf(m, shortTail); !math.IsNaN(tax.Mid) {
		title = fmt.Sprintf("With long tasks of %d short ones, the %s in a shared pool is %s "+
			"times as high as with %s", taxAt, shortTail.noun, tax, sequential)
	}
	return evidence.Figure{
		Name: "variance-cost", Title: title,
		Subtitle: fmt.Sprintf("%d workers, %.0f %% busy; short and long tasks are half of the work "+
			"each: the same throughput and utilisation at every point", limit, 100*varianceLoad),
		Caption: []string{costCaption(m)},
	}.Planes(planes...)
}

func costCaption(m *evidence.Measured) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, sc := range costCells(Standard) {
		if u := m.Mean(sc, metric.Utilisation).Mid; !math.IsNaN(u) {
			low, high = min(low, u), max(high, u)
		}
	}
	ran := ""
	if low <= high {
		ran = fmt.Sprintf("The utilisation measured is %.3f to %.3f.", low, high)
	}
	return strings.Join([]string{
		m.Means(costCells(Standard)),
		ran,
		fmt.Sprintf("Exact are the ring (a shared pool at R = 1), the band (separate pools, "+
			"M/D/%d for each class) and the dashed line (processor sharing, to which ever "+
			"smaller steps lead).", limit/2),
		"The other curves have no closed form.",
		"Steps cost nothing here. Another figure shows the cost of partitioning.",
	}, " ")
}

func taxOf(m *evidence.Measured, of reading) (tax evidence.Interval, from, to float64) {
	pool, cut := costCell(pooled, taxAt), costCell(sequential, taxAt)
	return m.Ratio(pool, cut, of.unit), m.Mean(cut, of.unit).Mid * of.scale,
		m.Mean(pool, of.unit).Mid * of.scale
}

// crossover returns the last crossing of the curves of the strategy and the shared pool,
// interpolated on logarithmic axes, or NaN.
func crossover(m *evidence.Measured, strategy string, of reading) evidence.Interval {
	var cells []bench.Scenario
	var rs []float64
	for _, r := range costRs {
		if pool, other := costCell(pooled, r), costCell(strategy, r); m.Has(pool) && m.Has(other) {
			cells, rs = append(cells, pool, other), append(rs, r)
		}
	}
	return evidence.OfProduct(m.Each(cells, func(runs []evidence.Run) float64 {
		excess := make([]float64, len(rs))
		for i := range rs {
			excess[i] = math.Log(runs[2*i](of.unit) / runs[2*i+1](of.unit))
		}
		return evidence.LastCrossing(rs, excess)
	}))
}

func omit(all []float64, v float64) []float64 {
	return slices.DeleteFunc(slices.Clone(all), func(x float64) bool { return x == v })
}
