package studies

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// The metric is the p99 response of the seven quiet tenants in one pool, divided by the p99 with a
// share for each tenant. The claim requires at most 1.1 while all send equally, and at least 2
// above the capacity.
var _ = register(Study{
	Name: "noisy_neighbour",
	Question: "how much do the other tenants of a pool suffer when one tenant sends more than " +
		"its share?",
	Claim:    "one pool for all tenants is fine until one tenant sends too much",
	Count:    [3]int{3, 5, 10},
	Budget:   2 * time.Second,
	Apart:    true,
	Compared: neighbours,
	With:     each(noisySweep),
	Decides:  []string{othersP99, metric.NoisyShare},
	Advice: evidence.Sentences{
		Holds:       "give each tenant a share of the pool before one tenant sends too much",
		DoesNotHold: "use one pool for all tenants: shares make no difference",
		Depends:     "give each tenant a share of the pool",
	},
	Judge: judgeNoisy,
	Draw:  []drawing{drawNoisy},
})

const (
	sharesOut    = "fair_share"
	quietTenants = 7
	quietLoad    = 0.525 // load of the seven together; with an equal eighth it is 0.6
	othersP99    = metric.OthersP99Response
)

var (
	neighbours = []string{pooled, sharesOut}
	noisyLoads = []float64{0.6, 0.8, 0.9, 1.05, 1.2, 1.5}
)

func noisySweep(size Size, name string) (cells []bench.Scenario) {
	for _, load := range noisyLoads {
		cells = append(cells, scenario(name, fmt.Sprintf("tenants:n=%d,skew=noisy(%.4f)",
			quietTenants+1, 1-quietLoad/load), poisson(load),
			bench.Stop{Tasks: [...]int{20_000, 100_000, 500_000}[size], Warmup: 0.1}))
	}
	return cells
}

func noisyOf(name string) []bench.Scenario { return noisySweep(Quick, name) }

func judgeNoisy(m *evidence.Measured) decide.Finding {
	r := evidence.Ruling{Of: "load", More: []string{"p99, one pool", "shares",
		"noisy's slots", "shares"}, Number: "p99 ratio",
		Format: evidence.Interval.Factor}
	one, apart := noisyOf(pooled), noisyOf(sharesOut)
	for i, load := range noisyLoads {
		name, ratio := fmt.Sprintf("load %v", load), m.Ratio(one[i], apart[i], othersP99)
		more := []string{m.MedianText(one[i], othersP99, text.ShortSeconds),
			m.MedianText(apart[i], othersP99, text.ShortSeconds),
			m.MedianText(one[i], metric.NoisyShare, text.ShortShare),
			m.MedianText(apart[i], metric.NoisyShare, text.ShortShare)}
		switch {
		case i == 0:
			r.AtMost(name, ratio, 1.1, more...)
		case load > 1:
			r.AtLeast(name, ratio, 2, more...)
		case math.IsNaN(ratio.Mid):
			return evidence.Missing("%s or %s was not measured at load %v", pooled, sharesOut, load)
		default:
			r.Show(name, ratio, more...)
		}
	}
	return r.Find(evidence.Sentences{
		Holds: "one pool does not slow the other tenants down while all send equally, and " +
			"multiplies their p99 above the capacity",
		DoesNotHold: "one pool slows the other tenants down while all send equally, and does not " +
			"double their p99 above the capacity",
		Depends: "on the load",
	}, "how much more the other tenants wait in one pool")
}

func drawNoisy(m *evidence.Measured) evidence.Figure {
	x := charts.Axis{Label: "load of all tenants together", Name: "load", Marks: noisyLoads}
	slow := evidence.Plane("p99 of the other tenants", x, responses("of those completed"))
	share := evidence.Plane("the noisy tenant", x, shares("share of the slots", 0, 1))
	for _, cells := range m.Sweeps(neighbours, noisyOf) {
		slow.Add(evidence.MedianCurve(m, noisyLoads, cells, othersP99))
		share.Add(evidence.MedianCurve(m, noisyLoads, cells, metric.NoisyShare))
	}
	return evidence.Figure{
		Name:  "noisy_neighbour",
		Title: "One tenant sends more and more: the cost to the others",
		Subtitle: fmt.Sprintf("Seven tenants with a load of %v together, and an eighth; limit %d",
			quietLoad, limit),
		Caption: []string{
			"With shares, the other tenants wait only for their own tasks, whatever the noisy " +
				"tenant sends.",
			m.Medians(noisyOf(pooled)),
		},
	}.Planes(slow, share)
}
