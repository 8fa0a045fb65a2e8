// Package trend finds where a metric changed in a series of results over time. Find finds the
// changes; WriteText, WriteJSON, WriteCharts and WritePage show them.
package trend
