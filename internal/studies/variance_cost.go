package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/theory"
	"github.com/poolbench/poolbench/reports"
	"github.com/poolbench/poolbench/reports/charts"
)

// costPart is the headline: what becomes of the response when the same work comes in pieces of ever more different length.
//
// With short tasks of 1 and long ones of R, each half of the work, one number goes from no variance to any, and a pool for each class
// is equally loaded whatever R is. Exact are: at R = 1, M/D/4 for all who share their places; separate pools, M/D/2 for each class, flat in R;
// and the mean slowdown of processor sharing, the limit of ever smaller steps, which is that of M/M/4 whatever the task times.
var costPart = variancePart{costCells, costWith, drawCost, answerCost}

// costRs are the ratios of long to short; the few are on either side of the crossovers, at taxAt and at the end.
var (
	costRs    = []float64{1, 2, 3, 5, 10, 20, 50, 100, 200}
	costFewRs = []float64{1, 2, 3, 5, 10, 50, 200}
)

// costStrategies in the order of their names in the legend. The first is what the others are to improve on.
var costStrategies = []string{"worker_pool", "partitioned", "partitioned_all_at_once", "segregated", "shortest_first:long=1ms"}

const (
	pooled     = "worker_pool"
	sequential = "partitioned"
	separate   = "segregated"
)

// taxAt is the ratio at which the cost is put into a number: the default of the workload.
const taxAt = 50

func costCell(strategy string, r float64) bench.Scenario {
	return only(bench.Scenario{
		Workload: workload(halves(r))[0],
		Load:     bench.Load{Arrival: arrival("poisson")[0], Relative: varianceLoad},
		Stop:     sized(15_000, halvesC2(r), 200_000),
	}, strategy)
}

func costCells(size Size) (cells []bench.Scenario) {
	for _, s := range costStrategies {
		cells = append(cells, costWith(size, s)...)
	}
	return cells
}

// costWith are the scenarios of one strategy.
func costWith(size Size, strategy string) (cells []bench.Scenario) {
	for _, r := range atSize(size, costRs, costFewRs) {
		cells = append(cells, costCell(strategy, r))
	}
	return costLengths.of(size, cells)
}

var costLengths = lengths{0.25, 0.9, 5}

// costNames are the study's strategies and those that somebody named.
func costNames(m *measured) []string {
	return append(slices.Clone(costStrategies), costOthers(m)...)
}

// costOthers are those that somebody named.
func costOthers(m *measured) []string {
	return m.others(costStrategies, func(strategy string) bench.Scenario { return costCell(strategy, taxAt) })
}

// A reading is a number of a run and what it is.
type reading struct {
	title, label string
	noun         string // in a sentence
	unit         string
	scale        float64 // to the unit of the figure
}

var (
	shortTail = reading{"p99 response of the short tasks ÷ their size", "p99 response ÷ own size (log scale)", "the short tasks' p99", "short-p99-response-sec", 1 / unit.Seconds()}
	slowdown  = reading{"mean slowdown of all tasks: response ÷ own size", "mean slowdown (log scale)", "mean slowdown", "mean-slowdown", 1}
)

// over is a strategy's curve over R.
func over(m *measured, strategy string, of reading) (s charts.Series) {
	s.Name, s.Style = strategy, m.style(costCell(strategy, 1))
	for _, r := range costRs {
		values := m.values(costCell(strategy, r), of.unit)
		if len(values) == 0 {
			continue
		}
		add(&s, r, ofMean(values).times(of.scale))
	}
	return s
}

// flat is what theory knows of pools of constant tasks of one unit, at this load: the reading for k places.
func flat(k int, of reading) float64 {
	a, err := theory.MDk(theory.Pool{Rate: varianceLoad * float64(k), MeanService: 1, Limit: k})
	if err != nil {
		panic(err) // a load below 1
	}
	if of == slowdown {
		return a.MeanResponse
	}
	t, _ := a.ResponseQuantile(0.99)
	return t
}

// sharing is the mean slowdown of processor sharing.
func sharing() float64 {
	a, err := theory.MMk(theory.Pool{Rate: varianceLoad * limit, MeanService: 1, Limit: limit})
	if err != nil {
		panic(err)
	}
	return a.MeanResponse
}

func drawCost(m *measured) (f reports.Figure, err error) {
	var planes []charts.Plane
	for _, of := range []reading{shortTail, slowdown} {
		p := charts.Plane{
			Panel:    charts.Panel{Title: of.title},
			X:        charts.Axis{Label: "R: a long task, in short ones (log scale)", Log: true, Marks: without(costRs, 3), Name: "R"},
			Y:        charts.Axis{Label: of.label, Log: true, Format: short, Marks: []float64{1, 2, 5, 10, 20, 50, 100, 200, 500}},
			TopLabel: "squared coefficient of variation C²",
		}
		for _, r := range without(costRs, 3) {
			p.Top = append(p.Top, charts.Mark{At: r, Text: fmt.Sprintf("%.3g", halvesC2(r))})
		}
		for _, name := range costNames(m) {
			if s := over(m, name, of); len(s.X) > 0 {
				p.Series = append(p.Series, s)
			}
		}
		if len(p.Series) == 0 {
			return f, &charts.EmptyError{Chart: "variance"}
		}
		exact := flat(limit/2, of)
		p.Series = append(p.Series, charts.Series{Name: separate, Style: m.style(costCell(separate, 1)), X: []float64{1, costRs[len(costRs)-1]}, Y: []float64{exact, exact}, Theory: true})
		start := flat(limit, of)
		p.Remarks = append(p.Remarks, charts.Remark{Sign: charts.Ring, X: 1, Y: start, Text: []string{fmt.Sprintf("exact M/D/%d: %s", limit, short(start))}})
		if of == slowdown {
			p.Levels = []charts.Level{{Name: "processor sharing, exact", Y: sharing()}}
		}
		if tax, from, to := taxOf(m, of); !math.IsNaN(tax.mid) {
			p.Remarks = append(p.Remarks, charts.Remark{Sign: charts.Gap, X: taxAt, Y: from, To: to, Text: []string{"variance tax", "×" + short(tax.mid)}})
		}
		if at := crossover(m, separate, of); !math.IsNaN(at.mid) {
			p.Remarks = append(p.Remarks, charts.Remark{Sign: charts.Foot, X: at.mid, Y: exact, Text: []string{"separate pools", "pay from R = " + short(at.mid)}})
		}
		planes = append(planes, p)
	}
	c, err := charts.Planes(fmt.Sprintf("The cost of task-time variance: %d workers, %.0f %% busy", limit, 100*varianceLoad), planes)
	if err != nil {
		return f, err
	}
	c.Subtitle = "Short and long tasks are half of the work each: the same throughput and utilisation at every point"
	return reports.Figure{Name: "variance-cost", Chart: c, Caption: costCaption(m)}, nil
}

func costCaption(m *measured) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, sc := range costCells(Standard) {
		if u := ofMean(m.values(sc, "utilisation")).mid; !math.IsNaN(u) {
			low, high = min(low, u), max(high, u)
		}
	}
	return strings.Join([]string{
		fmt.Sprintf("Points: the strategies' own code under the virtual clock, the mean of %s repetitions with seeds of their own, bars: its 95 %% interval by Student's t.", m.repetitions(costCells(Standard))),
		fmt.Sprintf("Utilisation was %.3f to %.3f at all points: variance costs response, not throughput.", low, high),
		fmt.Sprintf("Exact are the ring (every strategy that shares its places, at R = 1), the band (separate pools, M/D/%d for each class) and the dashed line, the limit of ever smaller steps.", limit/2),
		"The other curves have no closed form, and nor has the p99 under processor sharing: none is drawn.",
		"Steps cost nothing here; what they may cost is another figure.",
	}, " ")
}

// taxOf is the factor between the shared pool and the partitioned one at taxAt, repetition by repetition, and the two ends.
func taxOf(m *measured, of reading) (tax interval, from, to float64) {
	cells := []bench.Scenario{costCell(pooled, taxAt), costCell(sequential, taxAt)}
	tax = ofProduct(m.each(cells, func(value func(int, string) float64) float64 { return value(0, of.unit) / value(1, of.unit) }))
	return tax, ofMean(m.values(cells[1], of.unit)).mid * of.scale, ofMean(m.values(cells[0], of.unit)).mid * of.scale
}

// crossover is the R from which on a strategy is better than the shared pool: where their curves, straight between the points that
// were measured on logarithmic axes, cross for the last time. It is computed for each repetition. NaN where they do not cross in any.
func crossover(m *measured, strategy string, of reading) interval {
	var cells []bench.Scenario
	var rs []float64
	for _, r := range costRs {
		if pool, other := costCell(pooled, r), costCell(strategy, r); m.has(pool) && m.has(other) {
			cells, rs = append(cells, pool, other), append(rs, r)
		}
	}
	return ofProduct(m.each(cells, func(value func(int, string) float64) float64 {
		excess := make([]float64, len(rs))
		for i := range rs {
			excess[i] = math.Log(value(2*i, of.unit) / value(2*i+1, of.unit))
		}
		return lastCrossing(rs, excess)
	}))
}

// lastCrossing is the x at which y turns positive for good, on a logarithmic axis; NaN where it does not, or always was.
func lastCrossing(x, y []float64) float64 {
	for i := len(y) - 1; i > 0; i-- {
		if !(y[i] > 0) {
			break
		}
		if y[i-1] <= 0 {
			part := -y[i-1] / (y[i] - y[i-1])
			return math.Exp(math.Log(x[i-1]) + part*math.Log(x[i]/x[i-1]))
		}
	}
	return math.NaN()
}

// without is the values but that one: its label would touch its neighbour's.
func without(all []float64, v float64) []float64 {
	return slices.DeleteFunc(slices.Clone(all), func(x float64) bool { return x == v })
}
