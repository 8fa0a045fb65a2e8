package charts

import (
	"gonum.org/v1/plot"
)

// Across is what varies along the x axis of a sweep.
type Across int

// The sweeps.
const (
	Load  Across = iota // offered load, a share of the capacity
	Rate                // arrivals per second
	Limit               // the most tasks at once
)

func (a Across) label() string {
	return [...]string{"offered load (share of capacity)", "offered rate (tasks/s)",
		"limit (tasks at once, log scale)"}[a]
}

func (a Across) tip(v float64) string {
	return [...]string{"load ", "offered ", "limit "}[a] + Count(v) + [...]string{"", "/s", ""}[a]
}

func (a Across) kind() axisKind {
	if a == Limit {
		return logarithm
	}
	return linear
}

// scale prepares the x axis for the range. It does not begin at 0: position tells the values apart
// here, not length.
func (a Across) scale(p *plot.Plot, lo, hi float64) {
	p.X.Label.Text = a.label()
	if a == Limit {
		p.X.Scale = plot.LogScale{}
		p.X.Tick.Marker = logTicks(Count)
		p.X.Min, p.X.Max = lo/1.1, hi*1.1
		return
	}
	pad := (hi - lo) * 0.04
	if pad == 0 {
		pad = max(hi, -hi, 1) * 0.1
	}
	p.X.Tick.Marker = linearTicks{Count, 5}
	p.X.Min, p.X.Max = lo-pad, hi+pad
}
