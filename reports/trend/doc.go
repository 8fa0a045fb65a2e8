// Package trend looks at a series of results in the order of time, and says since when a metric has
// been another: an alert, no verdict. Find finds the changes; WriteText, WriteJSON, WriteCharts
// and WritePage show them.
package trend
