package traffic

import (
	"math"

	"github.com/poolbench/poolbench/internal/traffic/traces"
)

// A Swing is the sine that the rate over time resembles most.
type Swing struct {
	Period    float64 `json:"period_sec"`
	Amplitude float64 `json:"amplitude"` // share of the mean rate
	// Phase is where the record begins, in periods: 0 is the mean and rising, 0.25 the peak
	Phase float64 `json:"phase"`
	// Share of what the counts vary beyond those of Poisson arrivals: near 1 the rate goes up and
	// down by the clock, near 0 at random
	Share float64 `json:"share"`
}

const (
	swingParts = 240 // of the span, in which tasks are counted
	mostSwings = 20  // in the span: a period has 12 parts at least
	swingStep  = 0.05
	// Steady is the share from which a rate swings by the clock. That of a ramp is 6/π² = 0.61: a
	// single rise is no swing.
	Steady = 0.7
)

// SwingOf fits sines of one to twenty periods in the span to the counts in equal parts of it, by
// least squares; the longest of those that fit equally well wins. It is nil where the counts vary
// no more than Poisson's do by chance: by the variance of the variance of Poisson counts, four
// standard deviations of it.
func SwingOf(due []traces.Record) *Swing {
	c := counts(due, swingParts)
	mean := float64(len(due)) / swingParts
	variance := 0.0
	for _, n := range c {
		variance += (float64(n) - mean) * (float64(n) - mean) / swingParts
	}
	excess := variance - mean
	if excess <= 4*mean*math.Sqrt(2.0/swingParts) {
		return nil
	}
	var best Swing
	for periods := 1.0; periods <= mostSwings; periods += swingStep {
		a, b, about, explained := fitted(c, periods)
		if share := explained / excess; share > best.Share {
			phase := math.Atan2(b, a) / (2 * math.Pi)
			best = Swing{Span(due) / 1e9 / periods, math.Hypot(a, b) / about,
				phase - math.Floor(phase), share}
		}
	}
	best.Share = min(best.Share, 1)
	return &best
}

// fitted are the coefficients of sine and cosine, of so many periods in all, about a level, which
// are nearest to the counts; explained is the part of their variance that goes with the sine.
func fitted(counts []int, periods float64) (a, b, about, explained float64) {
	n := float64(len(counts))
	var s, c, y, ss, sc, cc, ys, yc float64
	for i, count := range counts {
		sin, cos := math.Sincos(2 * math.Pi * periods * (float64(i) + 0.5) / n)
		k := float64(count)
		s, c, y = s+sin, c+cos, y+k
		ss, sc, cc, ys, yc = ss+sin*sin, sc+sin*cos, cc+cos*cos, ys+k*sin, yc+k*cos
	}
	ss, sc, cc, ys, yc = ss-s*s/n, sc-s*c/n, cc-c*c/n, ys-y*s/n, yc-y*c/n // about their means
	det := ss*cc - sc*sc
	a, b = (ys*cc-yc*sc)/det, (yc*ss-ys*sc)/det
	return a, b, (y - a*s - b*c) / n, (a*ys + b*yc) / n
}
