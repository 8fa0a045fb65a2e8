// Package trend finds the points in a series of results over time at which a metric changed: an
// alert, not a verdict. Find finds the changes; WriteText, WriteJSON, WriteCharts and WritePage
// show them.
package trend
