// Package charts draws the charts of a report as SVG or PNG from series of numbers.
//
// A caller fills Series, calls a constructor, and renders the returned Chart:
//
//	c, err := charts.Response("Response against load", charts.Load, []charts.Panel{{Title: "p99", Series: series}})
//	if err != nil { … }          // *EmptyError: no point could be drawn
//	err = c.SVG(w, charts.Wide) // or c.PNG(w)
//
// The constructors, one per file:
//
//	Response      response quantiles against load, rate or limit, one panel per quantile
//	Throughput    throughput and goodput against offered load, with the capacity
//	Distribution  response against percentile
//	Variance      response against the squared coefficient of variation of the service times
//	Timeline      tasks in flight and queued over the time of a run
//	Heat          histogram of response times over the time of a run
//	Planes        panels with axes of their own, levels and remarks
//	Stacks        totals divided into parts, one row each
//	Rows          values with their intervals, one row per strategy or case
//	Card          a finding in words, with bars, as a picture to share
//	Capacity      the interval of the capacity, one row per strategy
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
// A series' Style is its number among all strategies of a file or study, so a strategy has the same
// colour, marker and dash in every chart.
//
// Interchangeable strategies have identical curves under the virtual clock. Lines that coincide are
// drawn in stripes of all their colours, and markers that coincide are nested. Series that are
// equal in every point share one entry of the legend, "semaphore = worker_pool".
//
// # Layouts and dark mode
//
// SVG has colours for light paper as attributes, and a style sheet for dark paper (Style). A chart
// has three layouts. Wide has panels in a row and names at the ends of the lines. Narrow has panels
// in a column and names below. Compact has one panel and names beside it, which a page can cut off
// and show below. InPage and Parts return the layouts for a page of any width.
package charts
