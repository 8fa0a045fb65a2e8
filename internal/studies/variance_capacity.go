package studies

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// The highest load that meets the objective is interpolated between measurements on either side
// of the exact answer, because the logarithm of the p99 wait is linear in the logarithm of 1−ρ in
// heavy traffic. Theory only determines where to measure.
var capacityPart = variancePart{capacityCells, nil, answerCapacity}

var (
	varianceC2 = []float64{0, 1, 4, 16, 64}
	fewC2      = []float64{0, 4, 64}
	// upper bounds of the p99 wait in mean task times
	waitLimits = []float64{1, 5, 20}
)

const capacityWait = 5

var capacityFew = []float64{0, 16, 64}

const (
	loadStep = 0.05
	// The number of tasks for a p99 grows with 1/(1−ρ)².
	maxLoad = 0.9
)

func workWithC2(c2 float64) string {
	switch c2 {
	case 0:
		return fmt.Sprintf("constant:mean=%v", unit)
	case 1:
		return fmt.Sprintf("exponential:mean=%v", unit)
	}
	return fmt.Sprintf("hyperexp:mean=%v,c2=%v", unit, c2)
}

type objective struct{ wait, c2, exact float64 }

func objectiveAt(wait, c2 float64) objective { return objective{wait, c2, highestLoad(wait, c2)} }

var objectives = sync.OnceValue(func() (all []objective) {
	for _, wait := range waitLimits {
		for _, c2 := range varianceC2 {
			all = append(all, objectiveAt(wait, c2))
		}
	}
	return all
})

func (a objective) loads() (loads []float64) {
	nearest := math.Round(a.exact / loadStep)
	for _, n := range []float64{nearest - 1, nearest, nearest + 1} {
		if load := math.Round(n*loadStep*100) / 100; a.exact <= maxLoad && load <= maxLoad {
			loads = append(loads, load)
		}
	}
	return loads
}

func loadsAround(size Size, c2 float64) (loads []float64) {
	for _, a := range objectives() {
		if a.c2 == c2 && (size != Quick || a.wait == capacityWait &&
			slices.Contains(capacityFew, c2)) {
			loads = append(loads, a.loads()...)
		}
	}
	slices.Sort(loads)
	return slices.Compact(loads)
}

func capacityCell(load, c2 float64) bench.Scenario {
	return varianceScenario(pooled, workWithC2(c2), poisson(load),
		tasksFor(int(800/((1-load)*(1-load))), c2, 120_000))
}

func capacityCells(size Size) (cells []bench.Scenario) {
	for _, c2 := range varianceC2 {
		for _, load := range loadsAround(size, c2) {
			cells = append(cells, capacityCell(load, c2))
		}
	}
	return lengths{0.3, 1, 5}.scale(size, cells)
}

// In a mostly idle pool waits are rare, so the mean of the p99 over runs is far too high. The
// median is not biased.
func (a objective) reached(m *evidence.Measured) evidence.Interval {
	var loads []float64
	var cells []bench.Scenario
	own := a.loads()
	for _, load := range loadsAround(Standard, a.c2) {
		switch cell := capacityCell(load, a.c2); {
		case m.Has(cell):
			loads, cells = append(loads, load), append(cells, cell)
		case slices.Contains(own, load):
			return evidence.OfMedian(nil) // one of its loads was not measured
		}
	}
	if len(own) == 0 {
		return evidence.OfMedian(nil)
	}
	return evidence.OfMedian(m.Each(cells, func(runs []evidence.Run) float64 {
		waits := make([]float64, len(loads))
		for i := range loads {
			waits[i] = runs[i](metric.P99Wait) / unit.Seconds()
		}
		return loadFor(a.wait, loads, waits)
	}))
}

// The result is interpolated between the first two loads with waits below and above, or
// extrapolated from the nearest two. It is NaN if neither is possible.
func loadFor(want float64, loads, waits []float64) float64 {
	const least = 1e-3 // lower limit of a p99 for the logarithm
	at := -1
	for i := 1; i < len(waits) && at < 0; i++ {
		if waits[i-1] <= want && want < waits[i] {
			at = i
		}
	}
	switch {
	case len(waits) < 2:
		return math.NaN()
	case at < 0 && waits[0] > want:
		at = 1
	case at < 0:
		at = len(waits) - 1
	}
	low, high := max(waits[at-1], least), max(waits[at], least)
	if !(low < high) {
		return math.NaN()
	}
	part := math.Log(want/low) / math.Log(high/low)
	load := 1 - math.Exp(math.Log(1-loads[at-1])+part*math.Log((1-loads[at])/(1-loads[at-1])))
	if load <= 0 {
		return math.NaN() // the waits are too similar to extrapolate
	}
	return load
}

func drawCapacity(m *evidence.Measured) evidence.Figure {
	p := evidence.Plane("", c2Axis("C² of the task times"),
		charts.Axis{Label: "highest utilisation · tasks a second", Format: withRate})
	for i, wait := range waitLimits {
		s := charts.Series{Name: fmt.Sprintf("p99 wait ≤ %v E[S]", wait), Style: i}
		for _, b := range objectives() {
			if b.wait == wait {
				evidence.AddPoint(&s, b.c2, b.reached(m))
			}
		}
		p.Add(s)
	}
	for i, wait := range waitLimits {
		if len(p.Series[i].X) == 0 {
			continue
		}
		most := func(c2 float64) float64 { return highestLoad(wait, c2) }
		p.Add(evidence.Exact(p.Series[i],
			evidence.Doublings(1, varianceC2[len(varianceC2)-1]), most),
			evidence.Exact(p.Series[i], []float64{0}, most))
	}
	return evidence.Figure{
		Name: "variance-capacity",
		Title: fmt.Sprintf("The cost of variance in throughput: the load that %d workers can carry",
			limit),
		Subtitle: fmt.Sprintf("The highest utilisation that keeps the p99 wait within so many "+
			"mean task times, and the throughput that it is with E[S] = %s",
			charts.Seconds(unit.Seconds())),
		Caption: []string{
			"Measured at loads around the answer, and interpolated between them.",
			m.Medians(capacityCells(Standard)),
			fmt.Sprintf("Bands: exact, M/H₂/%d with balanced means, and M/D/%d at C² = 0; "+
				"between 0 and 1 none is drawn.", limit, limit),
			fmt.Sprintf("Above %v the runs of this study are too short: only the exact value "+
				"is drawn.", maxLoad),
		},
	}.Planes(p)
}

func withRate(load float64) string {
	return text.Short(load) + " · " + charts.Count(load*limit/unit.Seconds()) + "/s"
}

func answerCapacity(m *evidence.Measured, f *decide.Finding) {
	const wait, c2 = capacityWait, 16
	calm, spread := objectiveAt(wait, 0), objectiveAt(wait, c2)
	from, to := calm.reached(m), spread.reached(m)
	if !math.IsNaN(from.Mid) && !math.IsNaN(to.Mid) {
		f.Add("to keep the p99 wait within %v mean task times, %d workers can be %s busy with "+
			"tasks of one length and %s at C² = %v (theory: %s and %s)",
			wait, limit, from.Share(), to.Share(), c2, text.ShortShare(calm.exact),
			text.ShortShare(spread.exact))
		f.Add("the p99 wait of %d workers at load %v with tasks of one length takes %d workers at "+
			"C² = %v (theory)",
			limit, varianceLoad, workersFor(p99Wait(limit, varianceLoad, 0), c2), c2)
	}
}

// sharedPool returns nil if the load is too close to 1. The mean task time is 1.
func sharedPool(k int, load, c2 float64) *theory.Answer {
	a, err := theory.Spread(theory.Pool{Rate: load * float64(k), MeanService: 1, Limit: k}, c2)
	if err != nil {
		return nil
	}
	return a
}

func p99Wait(k int, load, c2 float64) float64 {
	if a := sharedPool(k, load, c2); a != nil {
		if t, ok := a.WaitQuantile(0.99); ok {
			return t
		}
	}
	return math.Inf(1)
}

func highestLoad(wait, c2 float64) float64 {
	lo, hi := 0.0, 1.0
	for hi-lo > 1e-4 {
		if mid := (lo + hi) / 2; p99Wait(limit, mid, c2) <= wait {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

func workersFor(wait, c2 float64) int {
	k := limit
	for p99Wait(k, varianceLoad*limit/float64(k), c2) > wait {
		k++
	}
	return k
}
