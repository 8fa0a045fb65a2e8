package traffic

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
)

// A Likeness is a process of ours beside the recorded arrivals.
type Likeness struct {
	Arrival string `json:"arrival"` // to be given the rate of the record
	// Factor is how badly it resembles them: in the window where they differ most, the counts vary
	// so many times as much in the one as in the other. 1 is alike.
	Factor float64 `json:"factor"`
}

// mostTried bounds the tasks that a process is asked for, and the time that the search takes.
const mostTried = 100_000

// Closest tries processes at the rate of the arrivals, which are nanoseconds and ascend, with some
// settings each, and returns the one whose counts vary most like theirs, in windows from the mean
// gap on. The simplest of those that are equally close wins: its factor is at most a tenth above
// the least. ok is false where there are too few tasks for more than one window.
func Closest(due []int64) (best Likeness, ok bool) {
	recorded := dispersions(due)
	if len(recorded) < 2 {
		return Likeness{}, false
	}
	n := len(due)
	span := float64(due[n-1] - due[0])
	tries := candidates(time.Duration(span/float64(n-1)), time.Duration(span))
	factors := make([]float64, len(tries))
	least := math.Inf(1)
	for i, text := range tries {
		factors[i] = factor(recorded, text, n, span)
		least = min(least, factors[i])
	}
	for i, f := range factors {
		if f <= 1.1*least {
			return Likeness{tries[i], f}, true
		}
	}
	return Likeness{}, false
}

// candidates are processes in the order of their simplicity, in settings about a mean gap and a
// span.
func candidates(gap, span time.Duration) []string {
	all := []string{"constant", "poisson"}
	for _, n := range []int{2, 5, 10, 30, 100} {
		all = append(all, fmt.Sprintf("bulk:n=%d", n))
	}
	for _, period := range []time.Duration{span, span / 3, span / 10} {
		for amp := 2; amp < 10; amp++ {
			all = append(all, fmt.Sprintf("sine:period=%v,amp=0.%d", coarse(period), amp))
		}
	}
	for _, cycle := range []time.Duration{10, 30, 100, 300, 1000} {
		for _, share := range []time.Duration{2, 5, 10} { // that a burst takes of it
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

// coarse has two digits.
func coarse(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 100 {
		unit *= 10
	}
	return max(d.Round(unit), time.Microsecond)
}

// factor compares a process with recorded dispersions of n tasks in span nanoseconds.
func factor(recorded []Dispersion, text string, n int, span float64) float64 {
	v, err := arrivals.Parse(text)
	if err != nil {
		return math.Inf(1)
	}
	next, err := v.Spec.Open(float64(n-1)/span*1e9, 1, v.Values)
	if err != nil {
		return math.Inf(1)
	}
	due := make([]int64, min(n, mostTried))
	for i := range due {
		due[i] = int64(next())
	}
	worst := 1.0
	for _, d := range recorded {
		window := d.Window * 1e9
		if float64(due[len(due)-1]-due[0])/window < leastParts {
			break
		}
		f := (index(due, window) + floor) / (d.Index + floor)
		worst = max(worst, f, 1/f)
	}
	return worst
}

// floor keeps an index of next to nothing, as of equal gaps, from dividing.
const floor = 0.05
