package changepoint

import (
	"math"

	"github.com/poolbench/poolbench/internal/samples"
)

// date returns where the change between the levels values[from:at] and values[at:to] is. A value
// belongs to the level to which it is nearer, and the change is where the values on the wrong side
// weigh least, each by how much nearer it is. The energy distance tells that there is a change, and
// not so well where: no part of it is shorter than Options.Shortest, and by ranks the highest
// values before a rise are close to those that follow.
//
// No value weighs more than the levels differ, so that an outlier counts like any other. Where the
// medians are equal, because a part is mostly of the other level, the means decide; where these are
// equal, too, the date stays.
//
// Of two levels by 3 % of noise, of which the second is three times the first, the first value of
// the second was found in 1344 of 1347 series, and in 1173 before: these were 10 or 40 values and
// 5, 8 or 20 that follow.
func date(values []float64, from, at, to int) int {
	before, after := samples.Median(values[from:at]), samples.Median(values[at:to])
	if before == after {
		before, after = mean(values[from:at]), mean(values[at:to])
	}
	if before == after {
		return at
	}
	apart := math.Abs(after - before) // in its unit nothing overflows
	wrong, least, best := 0.0, math.Inf(1), at
	for i := from; i < to-1; i++ {
		wrong += (math.Abs(values[i]-before) - math.Abs(values[i]-after)) / apart
		if wrong < least {
			least, best = wrong, i+1
		}
	}
	return best
}

func mean(values []float64) (mean float64) {
	for i, v := range values {
		mean += (v - mean) / float64(i+1)
	}
	return mean
}
