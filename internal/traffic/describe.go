package traffic

import (
	"math"

	"github.com/poolbench/poolbench/internal/samples"
)

// A Description is what there is to know of recorded tasks. Times are seconds.
type Description struct {
	Tasks  int     `json:"tasks"`
	Span   float64 `json:"span_sec"`            // from the first arrival to the last
	Rate   float64 `json:"rate_per_sec"`        // gaps over span
	Course []int   `json:"course"`              // tasks in equal parts of the span
	Peak   Peak    `json:"peak"`                // the busiest tenth of the span
	GapC2  float64 `json:"gap_c2"`              // squared coefficient of variation of the gaps
	GapRho float64 `json:"gap_autocorrelation"` // of a gap and the next; 0 where all are equal
	// share of the tasks that came at the same instant as the one before
	Together   float64      `json:"together_share"`
	Dispersion []Dispersion `json:"dispersion"` // by window
	Durations  *Durations   `json:"durations,omitempty"`
}

// A Peak is the part of the span, as long as a tenth of it, in which most tasks came.
type Peak struct {
	From float64 `json:"from_sec"` // since the first arrival
	Rate float64 `json:"rate_per_sec"`
}

// A Dispersion is that of the counts in windows of one length.
type Dispersion struct {
	Window float64 `json:"window_sec"`
	Index  float64 `json:"index"`
}

// Durations are how long the tasks took.
type Durations struct {
	Mean float64 `json:"mean_sec"`
	P50  float64 `json:"p50_sec"`
	P99  float64 `json:"p99_sec,omitempty"` // 0: there are too few to tell it
	Max  float64 `json:"max_sec"`
	C2   float64 `json:"c2"`
	Rho  float64 `json:"autocorrelation"` // of a duration and the next
	// Busy is rate × mean: how many tasks are in their slots on average, and so the least limit
	Busy float64 `json:"busy"`
}

const (
	courseParts = 60
	peakShare   = 0.1
	leastParts  = 50 // windows that an index is taken from: its deviation is then some 20 %
	ladder      = 10 // a window is so many times as long as the one before
)

// Describe describes tasks that were due at these nanoseconds, which ascend, and took as many as
// took says; took is nil where that is not known, and is in another order afterwards. There are at
// least two instants.
func Describe(due, took []int64) Description {
	n := len(due)
	span := float64(due[n-1]-due[0]) / 1e9
	d := Description{Tasks: n, Span: span, Rate: float64(n-1) / span,
		Course: counts(due, courseParts), Peak: peak(due)}
	together := 0
	for i := range n - 1 {
		if due[i+1] == due[i] {
			together++
		}
	}
	d.GapC2, d.GapRho = moments(n-1, func(i int) float64 { return float64(due[i+1] - due[i]) })
	d.Together = float64(together) / float64(n)
	d.Dispersion = dispersions(due)
	if took != nil {
		d.Durations = durations(took, d.Rate)
	}
	return d
}

// counts are the tasks in so many equal parts of the span.
func counts(due []int64, parts int) []int {
	c := make([]int, parts)
	first, span := due[0], float64(due[len(due)-1]-due[0])
	for _, at := range due {
		c[min(int(float64(at-first)/span*float64(parts)), parts-1)]++
	}
	return c
}

// peak slides a window over the tasks.
func peak(due []int64) (p Peak) {
	length := max(int64(float64(due[len(due)-1]-due[0])*peakShare), 1)
	most, last := 0, 0
	for first, at := range due {
		for last < len(due) && due[last] < at+length {
			last++
		}
		if last-first > most {
			most, p.From = last-first, float64(at-due[0])/1e9
		}
	}
	p.Rate = float64(most) / (float64(length) / 1e9)
	return p
}

// moments are the squared coefficient of variation of n values, and the correlation of a value with
// the next.
func moments(n int, value func(i int) float64) (c2, rho float64) {
	mean := 0.0
	for i := range n {
		mean += value(i) / float64(n)
	}
	var squares, products, before float64
	for i := range n {
		off := value(i) - mean
		squares += off * off
		products += off * before
		before = off
	}
	if squares == 0 || mean == 0 {
		return 0, 0
	}
	return squares / float64(n) / (mean * mean), products / squares
}

// dispersions are the indices for windows of a mean gap, ten of them, and so on, as long as there
// are enough windows.
func dispersions(due []int64) (all []Dispersion) {
	n := len(due)
	span := float64(due[n-1] - due[0])
	for window := span / float64(n-1); span/window >= leastParts; window *= ladder {
		all = append(all, Dispersion{window / 1e9, index(due, window)})
	}
	return all
}

// index is the variance of the tasks in a window over their mean. Tasks after the last whole window
// do not count.
func index(due []int64, window float64) float64 {
	parts := int(float64(due[len(due)-1]-due[0]) / window)
	var sum, squares float64
	i := 0
	for part := range parts {
		n := 0.0
		for ; i < len(due) && float64(due[i]-due[0]) < window*float64(part+1); i++ {
			n++
		}
		sum += n
		squares += n * n
	}
	mean := sum / float64(parts)
	return math.Max(squares/float64(parts)-mean*mean, 0) / mean
}

func durations(took []int64, rate float64) *Durations {
	sum, longest := 0.0, int64(0)
	for _, t := range took {
		sum += float64(t)
		longest = max(longest, t)
	}
	var d Durations
	d.C2, d.Rho = moments(len(took), func(i int) float64 { return float64(took[i]) })
	d.Mean = sum / float64(len(took)) / 1e9
	d.Busy = rate * d.Mean
	q := samples.NearestRanks(nil, took, 0.5, 0.99)
	d.P50, d.Max = float64(q[0])/1e9, float64(longest)/1e9
	if samples.Resolvable(0.99, len(took)) {
		d.P99 = float64(q[1]) / 1e9
	}
	return &d
}
