package evidence

import (
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
)

// Dash is the cell of a number that does not exist.
const Dash = "–"

// Text formats an interval for a cell.
func Text(in Interval, format func(Interval) string) string {
	if math.IsNaN(in.Mid) {
		return Dash
	}
	return format(in)
}

// MedianText formats the median of a metric over the repetitions.
func (m *Measured) MedianText(
	sc bench.Scenario, unit string, number func(float64) string,
) string {
	return Short(m.Median(sc, unit), number)
}

// MeanText formats the mean of a metric over the repetitions.
func (m *Measured) MeanText(sc bench.Scenario, unit string, number func(float64) string) string {
	return Short(m.Mean(sc, unit), number)
}

// Short formats the middle of an interval for a cell.
func Short(in Interval, number func(float64) string) string {
	return Text(in, func(in Interval) string { return number(in.Mid) })
}

// mostRows is the largest number of rows of a table that a reader takes in.
const mostRows = 12

// Shorten replaces the middle of a ranking of more than mostRows rows by their number. The figure
// has all of them.
func Shorten(t *decide.Table) {
	if out := len(t.Rows) - mostRows + 1; out > 1 {
		more := slices.Repeat([]string{"…"}, len(t.Heads))
		more[0] = fmt.Sprintf("%d more", out)
		t.Rows = slices.Replace(t.Rows, mostRows/2, mostRows/2+out, more)
	}
}
