package traffic

import (
	"math"

	"github.com/poolbench/poolbench/internal/traffic/traces"
)

// A Swing is the sine that the rate over time resembles most.
type Swing struct {
	Period    float64 `json:"period_sec"`
	Amplitude float64 `json:"amplitude"` // share of the mean rate
	// Phase is in periods, at the begin of the record: 0 is the rising mean, 0.25 the peak
	Phase float64 `json:"phase"`
	// Share is the explained share of the variance beyond that of Poisson arrivals: near 1 for a
	// regular swing, near 0 for random variation
	Share float64 `json:"share"`
}

const (
	swingParts = 240 // of the span, in which tasks are counted
	maxSwings  = 20  // in the span: a period has at least 12 parts
	swingStep  = 0.05
	// Steady is the Share from which a swing is regular. A ramp, which is no swing, has 6/π² =
	// 0.61.
	Steady = 0.7
)

// SwingOf fits sines of one to twenty periods to the counts over time, by least squares. The
// longest of equally good fits wins. It returns nil if the variance of the counts is within four
// standard deviations of that of Poisson counts.
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
	for periods := 1.0; periods <= maxSwings; periods += swingStep {
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

// fitted fits a sine and a cosine about a level. explained is the variance that they explain.
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
