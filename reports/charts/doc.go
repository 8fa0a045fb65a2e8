// Package charts draws the charts of a report as SVG or PNG from series of numbers.
//
// It reads no file and has no knowledge of strategies, workloads or benchmark formats. A caller
// fills Series, calls a constructor, and renders the returned Chart:
//
//	c, err := charts.Response("Response against load", charts.Load, []charts.Panel{{Title: "p99", Series: series}})
//	if err != nil { … }          // *EmptyError: no point could be drawn
//	err = c.SVG(w, charts.Wide) // or c.PNG(w)
//
// The constructors, one per file:
//
//	Response      response quantiles against load, rate or limit: one panel per quantile
//	Throughput    throughput and goodput against offered load, with the diagonal and the capacity
//	Distribution  response against percentile, on an axis that gives each further nine the same width
//	Variance      response against the squared coefficient of variation of the service times
//	Timeline      tasks in flight and queued over the time of a run
//	Heat          response times over the time of a run, coloured by their number
//	Planes        panels with axes of their own, levels, and remarks: for a picture that makes one point
//	Stacks        wholes made of ordered parts, one row each
//	Rows          values with their intervals, one row per strategy or case, in panels that share rows
//	Card          a finding in words, with bars, as a picture to share
//	Capacity      the interval of the highest load that meets an objective, one row per strategy
//
// # Data that cannot be drawn
//
// NaN, infinities, and values of 0 or less on a logarithmic axis are omitted and listed in
// Chart.Notes. A chart without a point is an *EmptyError. Series whose slices differ in length are
// a programming error and panic.
//
// Values that grow with the length of the run, such as the response of an unstable queue, are
// marked as Growing. They are drawn as an arrow at the end of the axis and do not extend it.
//
// # Distinguishing series
//
// A series' Style is its number among all strategies of a file or study, so a strategy looks the
// same in every chart. The look is a colour, a marker and, from the ninth on, a dash: see style.go
// for the origin of the colours.
//
// Interchangeable strategies have identical curves under the virtual clock. Lines that coincide are
// drawn in stripes of all their colours, markers that coincide are nested, and series that are
// equal in every point share one entry of the legend, "semaphore = worker_pool".
//
// # Light, dark, wide, narrow
//
// The SVG writer of this package (svg.go gives the reasons) writes colours as attributes for light
// paper and repeats them in a style sheet for dark paper (Style). A chart has three layouts: Wide,
// panels in a row with names at the ends of the lines; Narrow, panels in a column with names below;
// and Compact, one panel with names at its side that a page may cut off and show below. InPage and
// Parts return the layouts for a page of any width.
package charts
