package why

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// A growth describes how services grow with the mean number N of tasks in service, by the universal
// scalability law without its quadratic term: S(N) = S(1)·(1 + σ(N−1)).
type growth struct {
	alone             float64 // service of a single task, in seconds
	sigma, low, high  float64 // the serial fraction, with its 95 % interval
	points            int
	least, most       float64 // fewest and most tasks in service
	shortest, longest float64 // services at these numbers
	locked            bool    // waits for locks grow, too
}

const fewestPoints = 3

// grows returns nil if the runs are too few or too similar, or services do not grow.
func (v *view) grows() *growth {
	var n, s []float64
	g := &growth{least: math.Inf(1)}
	for _, c := range append([]results.Cell{v.cell}, v.beside...) {
		service, rate := c.Value(metric.MeanService), c.Value(metric.Throughput)
		if in := service * rate; in > 0 { // false for NaN
			n, s = append(n, in), append(s, service)
			if in < g.least {
				g.least, g.shortest = in, service
			}
			if in > g.most {
				g.most, g.longest = in, service
			}
		}
	}
	if g.points = len(n); g.points < fewestPoints || g.most < 2*g.least {
		return nil
	}
	var known bool
	if g.alone, g.sigma, g.low, g.high, known = serial(n, s); !known || g.low <= 0 {
		return nil
	}
	g.locked = v.valueOrZero(metric.MutexWaitPerOp) > minShare*v.valueOrZero(metric.MeanService)
	return g
}

// serial fits S(N) by least squares of relative errors, since runs vary in proportion. The interval
// of the ratio σ is Fieller's, with len(n)−2 degrees of freedom. known is false if it is unbounded.
func serial(n, s []float64) (alone, sigma, low, high float64, known bool) {
	var w, x, y float64
	for i := range n {
		weight := 1 / (s[i] * s[i])
		w, x, y = w+weight, x+weight*(n[i]-1), y+weight*s[i]
	}
	x, y = x/w, y/w
	var xx, xy, left float64
	for i := range n {
		weight := 1 / (s[i] * s[i])
		xx += weight * (n[i] - 1 - x) * (n[i] - 1 - x)
		xy += weight * (n[i] - 1 - x) * (s[i] - y)
	}
	slope := xy / xx
	alone = y - slope*x
	for i := range n {
		d := (s[i] - alone - slope*(n[i]-1)) / s[i]
		left += d * d
	}
	variance := left / float64(len(n)-2)
	t := statistics.Student(len(n)-1, 0.05)
	vSlope, vAlone, cov := variance/xx, variance*(1/w+x*x/xx), -variance*x/xx
	// (slope − σ·alone)² = t²·(vSlope − 2σ·cov + σ²·vAlone)
	a := alone*alone - t*t*vAlone
	b := slope*alone - t*t*cov
	c := slope*slope - t*t*vSlope
	root := b*b - a*c
	if a <= 0 || root < 0 {
		return 0, 0, 0, 0, false
	}
	return alone, slope / alone, (b - math.Sqrt(root)) / a, (b + math.Sqrt(root)) / a, true
}

// growthShare excludes locks.
func (v *view) growthShare() float64 {
	service, ok := v.known(metric.MeanService)
	if !ok || v.growth == nil || v.growth.locked || v.serverOnly() {
		return 0
	}
	return max(1-v.growth.alone/service, 0)
}

func (g *growth) String() string {
	return fmt.Sprintf("services grow with the tasks in flight: %s with %s in service, %s with %s",
		text.Seconds(g.shortest), text.Digits(g.least), text.Seconds(g.longest),
		text.Digits(g.most))
}

func (g *growth) serial() string {
	return fmt.Sprintf("%s of the work is serial (%s to %s), by the universal scalability law "+
		"over %d runs", text.WholeShare(min(g.sigma, 1)), text.WholeShare(min(g.low, 1)),
		text.WholeShare(min(g.high, 1)), g.points)
}
