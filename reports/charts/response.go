package charts

import (
	"slices"

	"gonum.org/v1/plot"
)

// Response draws response times in seconds (logarithmic) against load, rate or limit, one panel per
// quantile. Bounds, such as a deadline, are lines across all panels, or only named if they are far
// from all data.
func Response(title string, across XAxis, panels []Panel, bounds ...Level) (*Chart, error) {
	c := &Chart{Title: title, shareY: true}
	cleaned := c.clean(panels, across.axis().kind(), logarithm)
	_, _, ymin, ymax := rangeOf(cleaned)
	bounds = Axis{Log: true}.levels(bounds)
	names := levelNames(bounds)
	const far = 2
	low, high := ymin/far, ymax*far
	for i, l := range bounds {
		named := entry{names: []string{l.Name}, sample: levelStyle(i), y: l.Y, last: true}
		switch {
		case l.Y > high:
			named.names[0] += ": above all"
		case l.Y < low:
			named.names[0] += ": below all"
		default:
			ymin, ymax = min(ymin, l.Y), max(ymax, 1.1*l.Y) // below the growing points
		}
		c.legend = append(c.legend, named)
	}
	bounds = slices.DeleteFunc(bounds, func(l Level) bool { return l.Y > high || l.Y < low })
	measured := valuesOf(cleaned)
	return c.fill(cleaned, func(_ int, panel Panel) *plot.Plot {
		p := newPlot(panel.Title, across.Label(), "response time (log scale)")
		p.Add(levels{bounds, names},
			&lines{series: panel.Series, tip: pointTip(across.tip, Seconds)})
		across.scale(p, measured)
		logSeconds(p, ymin, ymax)
		return p
	})
}
