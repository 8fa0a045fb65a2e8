package charts

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// Distribution draws response times (Y, seconds, logarithmic) against their percentile (X in [0,
// 1)), one panel per load. The x axis is -log10(1-X), so 90, 99 and 99.9 % have equal distances.
// Intervals and Growing are ignored.
func Distribution(title string, panels []Panel) (*Chart, error) {
	scaled := make([]Panel, len(panels))
	for i, p := range panels {
		scaled[i].Title = p.Title
		for _, s := range p.Series {
			t := s
			t.X = make([]float64, len(s.X))
			for j, q := range s.X {
				t.X[j] = math.NaN()
				if q >= 0 && q < 1 {
					t.X[j] = nines(q)
				}
			}
			scaled[i].Series = append(scaled[i].Series, t)
		}
	}
	c := &Chart{Title: title, shareY: true}
	cleaned := c.clean(scaled, linear, logarithm)
	cutBelow(cleaned, floorOf(cleaned))
	_, xmax, ymin, ymax := rangeOf(cleaned)
	out, err := c.fill(cleaned, func(_ int, panel Panel) *plot.Plot {
		p := newPlot(panel.Title, "percentile of tasks", "response time (log scale)")
		p.Add(&lines{
			series: panel.Series,
			dots:   true,
			marked: func(s Series, i int) bool { return isMarked(s.X[i]) },
			tip: pointTip(func(x float64) string {
				return "p" + strconv.FormatFloat(100*(1-math.Pow(10, -x)), 'f',
					max(int(math.Round(x))-2, 0), 64)
			}, Seconds),
		})
		p.X.Tick.Marker = percentileTicks{}
		p.X.Min, p.X.Max = 0, max(xmax, 1)
		logSeconds(p, ymin, ymax)
		return p
	})
	for i := range c.legend {
		c.legend[i].dots = true
	}
	return out, err
}

func nines(q float64) float64 { return -math.Log10(1 - q) }

func isMarked(x float64) bool {
	return math.Abs(x-nines(0.5)) < 1e-6 || x > 0.5 && math.Abs(x-math.Round(x)) < 1e-6
}

type percentileTicks struct{}

func (percentileTicks) Ticks(_, hi float64) []plot.Tick {
	ticks := []plot.Tick{{Value: 0, Label: "0"}, {Value: nines(0.5), Label: "50"}}
	for n := 1; float64(n) <= hi+1e-9; n++ {
		ticks = append(ticks, plot.Tick{Value: float64(n),
			Label: strconv.FormatFloat(100-math.Pow10(2-n), 'f', max(n-2, 0), 64)})
	}
	return ticks
}

// Tasks faster than the 10 % quantile may take almost no time, and would leave little space for the
// tail.
func floorOf(panels []Panel) float64 {
	floor := math.Inf(1)
	for _, s := range seriesOf(panels) {
		for i, x := range s.X {
			if x >= nines(0.1) {
				floor = min(floor, s.Y[i])
			}
		}
	}
	return floor
}

func cutBelow(panels []Panel, floor float64) {
	for i := range panels {
		for j := range panels[i].Series {
			s := &panels[i].Series[j]
			s.Lo, s.Hi, s.Growing = nil, nil, nil // curves have no intervals
			for len(s.X) > 1 && s.Y[0] < floor {
				if s.Y[1] > floor {
					share := math.Log(floor/s.Y[0]) / math.Log(s.Y[1]/s.Y[0])
					s.X = append([]float64{s.X[0] + share*(s.X[1]-s.X[0])}, s.X[1:]...)
					s.Y = append([]float64{floor}, s.Y[1:]...)
					break
				}
				s.X, s.Y = s.X[1:], s.Y[1:]
			}
		}
	}
}
