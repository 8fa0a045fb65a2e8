// Package trend finds changes of a metric in a series of results over time. Find finds the changes.
// WriteText, WriteJSON, WriteCharts and WritePage show them.
package trend
