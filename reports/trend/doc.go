// Package trend finds lasting changes of metrics in a series of results over time (Find), and
// writes them as text, JSON, charts and HTML.
package trend
