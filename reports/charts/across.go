package charts

import "gonum.org/v1/plot"

// Across is what varies along the x axis of a sweep.
type Across int

// The sweeps.
const (
	Load  Across = iota // offered load, a share of the capacity
	Rate                // arrivals per second
	Limit               // the most tasks at once
)

// Label is what stands below the axis.
func (a Across) Label() string {
	return [...]string{"offered load (share of capacity)", "offered rate (tasks/s)",
		"limit (tasks at once, log scale)"}[a]
}

func (a Across) tip(v float64) string {
	return [...]string{"load ", "offered ", "limit "}[a] + Count(v) + [...]string{"", "/s", ""}[a]
}

func (a Across) axis() Axis { return Axis{Label: a.Label(), Log: a == Limit} }

// scale prepares the x axis for the range. It does not begin at 0: position tells the values apart
// here, not length.
func (a Across) scale(p *plot.Plot, lo, hi float64) {
	if a == Limit {
		lo, hi = lo/1.1, hi*1.1
	}
	Plane{X: a.axis()}.layX(p, lo, hi)
}
