package charts

import "gonum.org/v1/plot"

// XAxis is the quantity along the x axis of a sweep.
type XAxis int

const (
	Load  XAxis = iota // share of the capacity
	Rate               // arrivals per second
	Limit              // tasks at once
)

// Label returns the label of the axis.
func (a XAxis) Label() string {
	return [...]string{"offered load (share of capacity)", "offered rate (tasks/s)",
		"limit (tasks at once, log scale)"}[a]
}

func (a XAxis) tip(v float64) string {
	return [...]string{"load ", "offered ", "limit "}[a] + Count(v) + [...]string{"", "/s", ""}[a]
}

func (a XAxis) axis() Axis { return Axis{Label: a.Label(), Log: a == Limit} }

// scale sets the range to measured, in ascending order, and labels as many values as fit.
func (a XAxis) scale(p *plot.Plot, measured []float64) {
	lo, hi := measured[0], measured[len(measured)-1]
	if a == Limit {
		lo, hi = lo/1.1, hi*1.1
	}
	Plane{X: a.axis()}.layX(p, lo, hi)
	const room = 0.07 // share of the axis per label
	var marks []float64
	for _, x := range measured {
		if n := len(marks); n == 0 || p.X.Norm(x)-p.X.Norm(marks[n-1]) >= room {
			marks = append(marks, x)
		}
	}
	p.X.Tick.Marker = fixedTicks{marks, Count}
}
