package charts

import "gonum.org/v1/plot"

// Response draws response times against a sweep of load, rate or limit: Y in seconds on a
// logarithmic axis that all panels share, one panel a quantile.
func Response(title string, across Across, panels []Panel) (*Chart, error) {
	cleaned, notes := cleanPanels(panels, across.kind(), logarithm)
	xmin, xmax, ymin, ymax := rangeOf(cleaned)
	c, err := newChart(title, cleaned, notes, func(panel Panel) *plot.Plot {
		p := newPlot(panel.Title, "", "response time (log scale)")
		p.Add(&lines{series: panel.Series, tip: pointTip(across.tip, Seconds)})
		across.scale(p, xmin, xmax)
		logSeconds(p, ymin, ymax)
		return p
	})
	if err != nil {
		return nil, err
	}
	c.shareY = true
	return c, nil
}
