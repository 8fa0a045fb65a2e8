package page

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/results"
)

type varianceSet struct {
	title string
	cells []*Cell
	c2    map[*Cell]float64
}

// varianceSets finds cells that are equal except for the workload, with arrival rates within a few
// percent. Equal rates at one load imply equal mean service times. A set needs three values of C².
func varianceSets(groups []*Group) (sets []varianceSet) {
	type bucket struct {
		varianceSet
		id   string
		rate float64
	}
	const sameRate = 0.05 // random variation of arrivals in a short run
	var buckets []*bucket
	for _, g := range groups {
		rest := results.Without(g.Keys, "workload")
		for _, c := range g.Cells {
			rate, c2 := c.Value(metric.Offered), squaredVariation(g, c)
			if math.IsNaN(rate) || math.IsNaN(c2) ||
				!hasMetric([]*Cell{c}, metric.P99Response) || c.Strategy == "" {
				continue
			}
			common := results.Words(slices.Concat(rest, g.Extra))
			title := strings.Join(append(common, c.Place()), " · ")
			id := title + "\x00" + pairsKey(rest)
			at := slices.IndexFunc(buckets, func(b *bucket) bool {
				return b.id == id && math.Abs(rate-b.rate) <= sameRate*b.rate
			})
			if at < 0 {
				at = len(buckets)
				buckets = append(buckets, &bucket{varianceSet{title: title,
					c2: make(map[*Cell]float64)}, id, rate})
			}
			b := buckets[at]
			b.cells = append(b.cells, c)
			b.c2[c] = c2
		}
	}
	for _, b := range buckets {
		if values := distinct(b.cells,
			func(c *Cell) float64 { return b.c2[c] }); len(values) < 3 ||
			values[len(values)-1] < 2*values[0]+0.1 {
			continue
		}
		slices.SortStableFunc(b.cells, func(x, y *Cell) int {
			return cmp.Or(cmp.Compare(b.c2[x], b.c2[y]), cmp.Compare(x.Style, y.Style))
		})
		sets = append(sets, b.varianceSet)
	}
	return sets
}

// squaredVariation returns the C² of theory, or else the median of the measured ones. All
// strategies had the same tasks.
func squaredVariation(g *Group, at *Cell) float64 {
	if v := at.Value(metric.WorkloadC2); !math.IsNaN(v) {
		return v
	}
	var measured []float64
	for _, c := range g.Cells {
		if v := c.Value(metric.ServiceC2); c.Place() == at.Place() && !math.IsNaN(v) {
			measured = append(measured, v)
		}
	}
	if len(measured) == 0 {
		return math.NaN()
	}
	slices.Sort(measured)
	if v := measured[len(measured)/2]; v >= noVariance {
		return v
	}
	return 0
}

// Tasks with a measured C² below noVariance count as equally long. Otherwise clock jitter would
// fill most of a logarithmic axis.
const noVariance = 0.01

func (set varianceSet) figure() (*figure, error) {
	x := func(c *Cell) float64 { return set.c2[c] }
	series := seriesOf(set.cells, metric.P99Response, metric.TheoryP99Response, true, x)
	chart, err := charts.Variance("p99 response against C²", []charts.Panel{{Series: series}})
	if err != nil {
		return nil, err
	}
	chart.Subtitle = set.title
	f := &figure{name: charts.FileName("variance-" + set.title),
		chart: chart, caption: varianceCaption(set, chart)}
	chart.Alt = chart.Title + ". " + f.caption
	return f, nil
}
