package studies

import (
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/internal/evidence"
	"github.com/poolbench/poolbench/internal/evidence/words"
	"github.com/poolbench/poolbench/internal/theory"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page"
)

// loadPart is the headline's other section: the variance stays what it is at taxAt, and the load
// goes up to the capacity, which is the same for all strategies.
var loadPart = variancePart{loadCells, loadWith, answerLoad}

var (
	partLoads    = []float64{0.3, 0.5, 0.7, varianceLoad, 0.9}
	fewPartLoads = []float64{0.3, varianceLoad, 0.9}
)

// loadCell at the load of the headline is the headline's.
func loadCell(strategy string, load float64) bench.Scenario {
	sc := costCell(strategy, taxAt)
	if load == varianceLoad {
		return sc
	}
	sc.Load.Relative = load
	sc.Stop = bench.Stop{Tasks: 40_000, Warmup: 0.1}
	if load > varianceLoad {
		sc.Stop.Tasks = 120_000
	}
	return sc
}

func loadCells(size Size) (cells []bench.Scenario) {
	for _, s := range costStrategies {
		cells = append(cells, loadWith(size, s)...)
	}
	return cells
}

// loadWith are the scenarios of one strategy.
func loadWith(size Size, strategy string) (cells []bench.Scenario) {
	for _, load := range atSize(size, partLoads, fewPartLoads) {
		cells = append(cells, loadCell(strategy, load))
	}
	return costLengths.of(size, cells)
}

// exactOver is a curve over the load by theory.
func exactOver(
	beside charts.Series, at func(load float64) (*theory.Answer, error),
) charts.Series {
	return evidence.Exact(beside, evidence.Steps(partLoads[0], 0.95, 0.025),
		func(load float64) float64 {
			a, err := at(load)
			if err != nil {
				return math.NaN()
			}
			return a.MeanResponse
		})
}

func drawLoad(m *evidence.Measured) (f page.Figure, err error) {
	p := evidence.Plane("", charts.Axis{Label: "throughput, as a share of the capacity workers ÷ " +
		"E[S]", Name: "throughput", Format: words.Short, Reach: []float64{1}},
		evidence.Log("mean slowdown", words.Short, 1, 2, 5, 10, 20, 50, 100))
	measuredLoads := map[float64]bool{}
	top := 1.0
	for _, name := range slices.Concat(costStrategies, costOthers(m)) {
		s := m.Named(loadCell(name, varianceLoad))
		for _, load := range partLoads {
			cell := loadCell(name, load)
			values := m.Values(cell, slowdown.unit)
			if len(values) == 0 {
				continue
			}
			measuredLoads[load] = true
			reached := m.Mean(cell, "ops/s").Times(meanHalves * unit.Seconds() / limit)
			in := evidence.OfMean(values)
			evidence.AddPoint(&s, reached.Mid, in)
			top = max(top, in.Mid)
		}
		p.Series = append(p.Series, s)
	}
	if len(measuredLoads) < 2 {
		return f, &charts.EmptyError{Chart: "load"}
	}
	p.Series = append(p.Series,
		exactOver(m.Named(loadCell(separate, varianceLoad)),
			func(load float64) (*theory.Answer, error) {
				return theory.MDk(theory.Pool{Rate: load * limit / 2, MeanService: 1,
					Limit: limit / 2})
			}),
		exactOver(m.Named(loadCell(sequential, varianceLoad)),
			func(load float64) (*theory.Answer, error) {
				return theory.MMk(theory.Pool{Rate: load * limit, MeanService: 1, Limit: limit})
			}))
	p.Remarks = []charts.Remark{{Sign: charts.Foot, X: 1, Y: top, Text: []string{"capacity"}}}
	return evidence.Figure{
		Name: "variance-load",
		Title: fmt.Sprintf("Response against throughput, long tasks of %v short ones",
			taxAt),
		Subtitle: fmt.Sprintf("%d workers, half of the work in either class", limit),
		Caption: []string{
			m.Means(loadCells(Standard)),
			fmt.Sprintf("Exact are the bands: separate pools, M/D/%d for each class, and "+
				"processor sharing, M/M/%d whatever the task times, to which ever smaller "+
				"steps lead.",
				limit/2,
				limit),
			"The others have no closed form.",
		},
	}.Planes(p)
}

func answerLoad(m *evidence.Measured, f *finding.Finding) {
	for _, load := range []float64{partLoads[0], partLoads[len(partLoads)-1]} {
		ratio := m.Ratio(loadCell(pooled, load), loadCell(sequential, load), slowdown.unit)
		if !math.IsNaN(ratio.Mid) {
			f.Add("at R = %v and load %v the mean slowdown in the shared pool is %s times that of "+
				"%s", taxAt, load, ratio, sequential)
		}
	}
}
