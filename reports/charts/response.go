package charts

import "gonum.org/v1/plot"

// Response draws response times against a sweep of load, rate or limit: Y in seconds on a
// logarithmic axis that all panels share, one panel a quantile.
func Response(title string, across Across, panels []Panel) (*Chart, error) {
	c := &Chart{Title: title, shareY: true}
	cleaned := c.clean(panels, across.axis().kind(), logarithm)
	_, _, ymin, ymax := rangeOf(cleaned)
	measured := placesOf(cleaned)
	return c.fill(cleaned, func(_ int, panel Panel) *plot.Plot {
		p := newPlot(panel.Title, across.Label(), "response time (log scale)")
		p.Add(&lines{series: panel.Series, tip: pointTip(across.tip, Seconds)})
		across.scale(p, measured)
		logSeconds(p, ymin, ymax)
		return p
	})
}
