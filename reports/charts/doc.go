// Package charts draws the charts of a report as SVG or PNG from series of numbers:
//
//	c, err := charts.Response("Response against load", charts.Load, []charts.Panel{{Title: "p99", Series: series}})
//	if err != nil { … }          // *EmptyError: no point could be drawn
//	err = c.SVG(w, charts.Wide) // or c.PNG(w)
//
// NaN, infinities, and values of 0 or less on a logarithmic axis are omitted and listed in
// Chart.Notes. Series whose slices differ in length panic.
//
// A series' Style is its number among all strategies of a file or study, so a strategy looks the
// same in every chart. Lines that coincide partly are drawn in stripes of all their colours, and
// their markers are nested.
package charts
