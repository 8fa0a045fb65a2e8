package evidence

import (
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
)

const Dash = "–"

func Text(in Interval, format func(Interval) string) string {
	if math.IsNaN(in.Mid) {
		return Dash
	}
	return format(in)
}

func (m *Measured) MedianText(
	sc bench.Scenario, unit string, number func(float64) string,
) string {
	return Short(m.Median(sc, unit), number)
}

func (m *Measured) MeanText(sc bench.Scenario, unit string, number func(float64) string) string {
	return Short(m.Mean(sc, unit), number)
}

func Short(in Interval, number func(float64) string) string {
	return Text(in, func(in Interval) string { return number(in.Mid) })
}

const maxRows = 12

// Shorten replaces the middle of a ranking by its number of rows. The figure has all of them.
func Shorten(t *decide.Table) {
	if out := len(t.Rows) - maxRows + 1; out > 1 {
		more := slices.Repeat([]string{"…"}, len(t.Heads))
		more[0] = fmt.Sprintf("%d more", out)
		t.Rows = slices.Replace(t.Rows, maxRows/2, maxRows/2+out, more)
	}
}
