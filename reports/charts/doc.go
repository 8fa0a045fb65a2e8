// Package charts draws the charts of a report: it makes SVG or PNG of series of numbers.
//
// It reads no file and knows no strategy, workload or benchmark format. A caller fills Series,
// calls the constructor of the picture it wants, and renders the Chart it gets:
//
//	c, err := charts.Response("Response against load", charts.Load, []charts.Panel{{Title: "p99", Series: series}})
//	if err != nil { … }          // *EmptyError: no point could be drawn
//	err = c.SVG(w, charts.Wide) // or c.PNG(w)
//
// The constructors, one a file:
//
//	Response      response quantiles against load, rate or limit: one panel a quantile
//	Throughput    throughput and goodput against offered load, with the diagonal and the capacity
//	Distribution  response against percentile, on the axis that gives each further nine the same width
//	Variance      response against the squared coefficient of variation of the service times
//	Timeline      tasks in flight and queued over the time of a run
//	Heat          response times over the time of a run, coloured by how many there are
//	Planes        panels with axes of their own, levels, and remarks: for a picture that makes one point
//	Stacks        wholes made of parts in an order, a row each
//	Rows          values with their intervals, a row a strategy or case, in panels that share the rows
//	Card          no chart: a finding in words, with bars, as a picture to send
//	Capacity      the interval in which the highest load lies that meets an objective, a row a strategy
//
// # Data that cannot be drawn
//
// NaN, infinities, and values of 0 or less where an axis is logarithmic are left out and said so in
// Chart.Notes. A chart without a point is an *EmptyError. Series whose slices differ in length are
// a mistake in the program and panic.
//
// Values that grow with the length of the run, such as the response of an unstable queue, are
// marked as Growing: an arrow at the end of the axis, so that they do not press all others into a
// corner.
//
// # Telling series apart
//
// A series' Style is its number among all strategies of a file, or of a study, so that a strategy
// looks the same in every chart of it. The look is a colour, a marker and, from the ninth on, a
// dash: see style.go for where the colours come from and what they guarantee.
//
// Interchangeable strategies give identical curves under the virtual clock, and a line drawn over
// another would hide it. Lines that coincide are therefore drawn in stripes of all their colours,
// markers that coincide are nested, and series that are equal in every point share one entry of the
// legend, "semaphore = worker_pool".
//
// # Light, dark, wide, narrow
//
// The SVG writer of this package (svg.go says why not gonum's) gives colours as attributes for
// light paper and repeats them in a style sheet for dark (Style). A chart has
// three layouts: Wide, its panels in a row and the names at the ends of the lines; Narrow, its
// panels in a column and the names below; and Compact, one panel and names beside it that a page
// may cut off and show below. InPage and Parts are what suits a page at all widths.
package charts
