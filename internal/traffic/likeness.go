package traffic

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/traffic/traces"
)

// maxTried bounds the number of tasks compared, and so the time of the search.
const maxTried = 100_000

// Closest compares the variances of the counts, in windows from the mean gap on. The simplest
// process within a tenth of the least factor wins. The tasks are in the order of arrival. ok is
// false if they are too few for more than one length of windows.
func Closest(due []traces.Record) (best Likeness, ok bool) {
	recorded := Dispersions(due)
	if len(recorded) < 2 {
		return Likeness{}, false
	}
	n := len(due)
	span := Span(due)
	tries := candidates(time.Duration(span/float64(n-1)), sines(due))
	factors := make([]float64, len(tries))
	least := math.Inf(1)
	played := make([]traces.Record, min(n, maxTried))
	for i, text := range tries {
		factors[i] = factor(recorded, text, played, float64(n-1)/span*1e9)
		least = min(least, factors[i])
	}
	for i, f := range factors {
		if f <= 1.1*least {
			return Likeness{Arrival: tries[i], Factor: f}, true
		}
	}
	return Likeness{}, false
}

// random is the Swing.Share up to which the rate varies at random.
const random = 0.3

func sines(due []traces.Record) (all []string) {
	swing := SwingOf(due)
	switch {
	case swing != nil && swing.Share >= Steady:
		return []string{fmt.Sprintf("sine:period=%v,amp=%.2f,phase=%.2f",
			coarse(time.Duration(swing.Period*1e9)), min(swing.Amplitude, 0.99),
			math.Mod(swing.Phase, 0.995))}
	case swing != nil && swing.Share < random:
		return nil
	}
	span := time.Duration(Span(due))
	for _, period := range []time.Duration{span, span / 3, span / 10} {
		for amp := 2; amp < 10; amp++ {
			all = append(all, fmt.Sprintf("sine:period=%v,amp=0.%d", coarse(period), amp))
		}
	}
	return all
}

func candidates(gap time.Duration, sines []string) []string {
	all := []string{"constant", "poisson"}
	for _, n := range []int{2, 5, 10, 30, 100} {
		all = append(all, fmt.Sprintf("bulk:n=%d", n))
	}
	all = append(all, sines...)
	for _, cycle := range []time.Duration{10, 30, 100, 300, 1000} {
		for _, share := range []time.Duration{2, 5, 10} { // share of a burst
			on := gap * cycle / share
			all = append(all, fmt.Sprintf("onoff:on=%v,off=%v", coarse(on), coarse(gap*cycle-on)))
		}
	}
	for _, cycle := range []time.Duration{30, 100, 300, 1000} {
		for _, ratio := range []int{3, 10} {
			high := gap * cycle / 5
			all = append(all, fmt.Sprintf("mmpp:ratio=%d,high=%v,low=%v", ratio, coarse(high),
				coarse(gap*cycle-high)))
		}
	}
	return all
}

func coarse(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 100 {
		unit *= 10
	}
	return max(d.Round(unit), time.Microsecond)
}

func open(text string, rate float64) (arrivals.Next, error) {
	v, err := arrivals.Parse(text)
	if err != nil {
		return nil, err
	}
	return v.Spec.Open(rate, 1, v.Values)
}

// factor overwrites due with the tasks of the process.
func factor(recorded []Dispersion, text string, due []traces.Record, rate float64) float64 {
	next, err := open(text, rate)
	if err != nil {
		return math.Inf(1)
	}
	for i := range due {
		due[i].At = int64(next())
	}
	worst := 1.0
	for _, d := range recorded {
		window := d.Window * 1e9
		if Span(due)/window < MinWindows {
			break
		}
		f := (Index(due, window) + floor) / (d.Index + floor)
		worst = max(worst, f, 1/f)
	}
	return worst
}

// floor avoids a division by an index close to 0, as for equal gaps.
const floor = 0.05
